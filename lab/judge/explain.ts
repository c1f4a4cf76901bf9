import type { Attribution, CellResult, EvidenceRef, Mismatch } from '../model/formats.ts';
import { adviseOn } from './advice.ts';
import { OUTCOME_WORDS } from '../model/outcome-words.ts';

/** Width of the names in the left column. */
const LABEL = 10;
const MAX_TEXT = 160;

/**
 * What `lab why <address>` prints: who, how sure, the proof with file and line, who claimed what, and where the
 * evidence lies.
 *
 * @param evidence the cell's folder as the reader can open it; default: as the result names it.
 */
export function explainCell(result: CellResult, evidence: string = result.evidence): string {
  const { attribution } = result;
  const lines = [
    `${result.address}: ${result.verdict}`,
    '',
    row('killer', describeKiller(attribution)),
    row('victim', `${attribution.victim}${PROCESS[attribution.process ?? ''] ?? ''}`),
    ...(result.note === undefined ? [] : [row('note', result.note)]),
    row('do', adviseOn(attribution)),
    '',
    'because (times are UTC)',
    ...table(attribution.because.map(proofRow)),
    '',
    'who said what',
    ...table(
      result.claims.map((claim) => [
        AGREES[String(claim.agrees)] ?? '',
        claim.layer,
        shortenPaths(claim.says),
      ]),
    ),
    '',
    ...(result.mismatches.length === 0
      ? [row('expected', expectedOf(result))]
      : result.mismatches.flatMap(mismatchRows)),
    ...(result.attempts ?? []).map((each, index) =>
      row(index === 0 ? 'runs' : '', `${index + 1}: ${each.verdict}, ${each.killer}, ${each.evidence}`),
    ),
    row('evidence', evidence),
    ...openRow(attribution.because, evidence),
  ];
  return `${lines.join('\n')}\n`;
}

/** `memcg-oom (group-kill) at pod level, proven`. */
function describeKiller({ killer, how, level, confidence }: Attribution): string {
  const way = how === undefined || how === killer ? '' : ` (${how})`;
  const where = level === undefined ? '' : ` at ${level} level`;
  const sure = confidence === 'none' ? '' : `, ${confidence}`;
  return `${WHO[killer] ?? killer}${way}${where}${sure}`;
}

const PROCESS: Readonly<Record<string, string>> = { child: ', not the first process of its container' };

const AGREES: Readonly<Record<string, string>> = { true: 'right', false: 'WRONG', null: '-' };

/** Killers whose bare name would mislead. */
const WHO: Readonly<Record<string, string>> = {
  none: 'none (the victim survived)',
  unknown: 'unknown (proof is missing)',
};

function mismatchRows(mismatch: Mismatch): string[] {
  return [row('expected', mismatch.expected), row('observed', mismatch.observed)];
}

function expectedOf(result: CellResult): string {
  const parts = Object.entries(result.expected)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(' or ') : String(value);
      return FIELDS[name]?.(text) ?? `${name} ${text}`;
    });
  return `${parts.join(', ')}${result.verdict === 'passed' ? ': all of it holds' : ''}`;
}

/** The fields of an outcome (`lab/model/scenario.ts`) as a person says them. */
const FIELDS: Readonly<Record<string, (text: string) => string>> = {
  killer: (text) => `killer ${text}`,
  how: (text) => `by ${text}`,
  victim: (text) => `victim ${text}`,
  alsoDies: (text) => `${text} dies as well`,
  mayDie: (text) => `${text} may die`,
  alsoSurvives: (text) => `${text} lives on`,
  ...OUTCOME_WORDS,
  then: (text) => (text === 'stays-dead' ? 'stays dead' : `then ${text.replaceAll('-', ' ')}`),
};

/** The first proof as a command to paste: a reader should be one step away from the raw line. */
function openRow(because: readonly EvidenceRef[], evidence: string): string[] {
  const first = because.find((ref) => ref.line !== undefined);
  return first === undefined ? [] : [row('open', `less +${first.line} ${evidence}/${first.file}`)];
}

function proofRow(ref: EvidenceRef): string[] {
  const place = ref.line === undefined ? ref.file : `${ref.file}:${ref.line}`;
  return [place, ref.at.slice(11, 23), ref.source, shortenPaths(ref.text)];
}

function row(name: string, text: string): string {
  return `${name.padEnd(LABEL)}${text}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return ['  nothing'];
  const columns = Math.max(...rows.map((each) => each.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((each) => (each[index] ?? '').length)),
  );
  return rows.map((each) =>
    `  ${each.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** Container ids, slices and the kernel's list of memory nodes are long and say little: the file has them in full. */
export function shortenPaths(text: string): string {
  const short = text
    .replace(/([0-9a-f]{12})[0-9a-f]{52}/g, '$1')
    .replace(/\/kubepods\.slice\/(?:kubepods-\w+\.slice\/)?(?=kubepods)/g, '…/')
    .replace(/kubepods-(?:burstable-|besteffort-)?(pod[0-9a-f]{8})[0-9a-f_]{28}\.slice/g, '$1….slice')
    .replace(/,nodemask=[^,]*,cpuset=[^,]*,mems_allowed=[^,]*,/, ', …, ')
    .replace(/\s+/g, ' ');
  if (short.length <= MAX_TEXT) return short;
  // Who it was stands at the end of an OOM summary: a long line loses its middle.
  const end = /(?:,task=[^,]*)?,pid=\d+(?:,uid=\d+)?$/.exec(short)?.[0] ?? '';
  return `${short.slice(0, MAX_TEXT - end.length)}…${end}`;
}
