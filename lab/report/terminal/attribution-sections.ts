import { groupBy } from '../../model/text/group-by.ts';
import type { Attribution, CellResult, EvidenceRef } from '../../model/saved/formats.ts';
import { shellWord } from '../../model/text/shell.ts';
import { describeMemory } from '../words/cell-words.ts';
import { listPlaces, quote, refColumns, row, shortenPaths } from '../text/page-rows.ts';
import { INDENTED, textTable } from '../text/text-table.ts';
import { asideOf, groupOpen, listProof, proofBeside, stepsOf } from '../words/proof-lines.ts';
import type { ProofRef } from '../words/order-of-time.ts';

/** The parts of a page about one death, which `why` and `autopsy` share. */

/** Records printed below one finding; its file has the others. */
const MAX_REFS = 3;

const AGREES: Readonly<Record<string, string>> = { true: 'right', false: 'WRONG', null: '-' };

/** The most memory that was used, next to the limit, and where both were read. */
export function memoryRow(attribution: Attribution): string[] {
  const text = describeMemory(attribution);
  const { because = [] } = attribution.figures ?? {};
  if (text === '') return [];
  return [row('memory', `${text}${because.length === 0 ? '' : `   ${listPlaces(because)}`}`)];
}

/**
 * Renders the steps in the order of time, then the other proof. Without steps (the pod is alive, or the result is of an
 * older version) it renders only the proof.
 */
export function proofSections(attribution: Attribution): string[] {
  const chain = stepsOf(attribution);
  if (chain.length === 0)
    return section('because (times are UTC)', textTable(listProof(attribution).map(proofColumns), INDENTED));
  const beside = textTable(proofBeside(attribution).map(proofColumns), INDENTED);
  // If a step has several records, only the first shows its name.
  const steps = textTable(
    chain.map((link, index) => [
      link.step === chain[index - 1]?.step ? '' : (link.step ?? ''),
      ...proofColumns(link),
    ]),
    INDENTED,
  );
  return [
    ...section('step by step (times are UTC)', steps),
    ...(beside.length === 0 ? [] : section('proven by', beside)),
  ];
}

/** A record of the proof as columns, why it is where it is in front of its text. */
function proofColumns(ref: ProofRef): string[] {
  const columns = refColumns(ref);
  return [...columns.slice(0, -1), `${asideOf(ref)}${columns.at(-1) ?? ''}`];
}

export function findingSection({ findings = [] }: Attribution): string[] {
  if (findings.length === 0) return [];
  const lines = findings.flatMap(({ what, explained, because }) => [
    `  ${explained ? '' : 'unexplained: '}${shortenPaths(what)}`,
    ...textTable(because.slice(0, MAX_REFS).map(refColumns), { indent: '    ' }),
    ...(because.length > MAX_REFS ? [`    and ${because.length - MAX_REFS} more records`] : []),
  ]);
  return section('also seen', lines);
}

/** What it was not, by what excludes it; of a proven killer only how much. */
export function excludedSection({ excluded = [], confidence }: Attribution): string[] {
  if (excluded.length === 0) return [];
  if (confidence === 'proven') return [row('excluded', `${excluded.length} others; --json says by what`)];
  const lines = [...groupBy(excluded, ({ by }) => by)].map(
    ([by, all]) => `  ${all.map(({ what }) => what).join(', ')}: ${shortenPaths(by)}`,
  );
  return section('excluded', lines);
}

/** What it may have been as well, by what leaves it open. */
export function openSection(
  { open = [] }: Attribution,
  { withWanted = true }: { readonly withWanted?: boolean } = {},
): string[] {
  if (open.length === 0) return [];
  const lines = groupOpen(open).flatMap(({ what, why, wanted }) => [
    `  ${what}: ${shortenPaths(why)}`,
    ...(withWanted ? [`    would decide it: ${wanted.join('; ')}`] : []),
  ]);
  return section('not excluded', lines);
}

/** What each layer said of it, and whether that is right. */
export function claimSection(claims: CellResult['claims']): string[] {
  return section('who said what', textTable(claims.map(claimColumns), INDENTED));
}

function claimColumns({ layer, says, agrees }: CellResult['claims'][number]): string[] {
  return [AGREES[String(agrees)] ?? '', layer, quote(says)];
}

/** A heading and its lines, below an empty line. */
export function section(heading: string, lines: readonly string[]): string[] {
  return ['', heading, ...(lines.length === 0 ? ['  nothing'] : lines)];
}

/** A command that opens the first record of the proof, ready to paste. */
export function openRow(attribution: Attribution, evidence: string): string[] {
  const has = (ref: EvidenceRef): boolean => ref.line !== undefined;
  const first = attribution.because.find(has) ?? listProof(attribution).find(has);
  return first === undefined
    ? []
    : [row('open', `less +${first.line} ${shellWord(`${evidence}/${first.file}`)}`)];
}
