import { groupBy } from '../../model/text/group-by.ts';
import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import { describeParameters } from '../../model/declared/parameters.ts';
import type { Attribution, CellResult, EvidenceRef } from '../../model/saved/formats.ts';
import { shellWord } from '../../model/text/shell.ts';
import { adviseOn } from '../words/advise.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { explainSkipped, explainUnseen, isUnseen } from '../words/explain-unjudged.ts';
import { describeHeld, describeMemory, describeVictim, describeWho } from '../words/cell-words.ts';
import { measureLines } from '../words/measure-lines.ts';
import { listPlaces, refColumns, row, shortenPaths } from '../text/page-rows.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';
import { asideOf, listDoubts, listProof, mismatchSides, proofBeside, stepsOf } from '../words/proof-lines.ts';
import type { ProofRef } from '../words/order-of-time.ts';

/** Records printed below one finding; its file has the others. */
const MAX_REFS = 3;

/**
 * What `whodunit why <address>` prints: who, how sure, how it came to the end with file and line, what else happened,
 * who claimed what, and where the evidence is. A cell that a rule refused, or that was not observed, has another page.
 *
 * @param evidence the cell's folder as the reader can open it, empty when nothing was saved; default: as in the result.
 */
export function explainCell(result: CellResult, evidence: string = result.evidence): string {
  if (result.verdict === 'skipped') return explainSkipped(result);
  if (isUnseen(result)) return explainUnseen(result, evidence);
  const { attribution } = result;
  const lines = [
    `${result.address}: ${result.verdict}`,
    '',
    row('killer', describeWho(result)),
    ...doubtRow(result),
    row('victim', describeVictim(attribution)),
    ...withRow(result),
    ...memoryRow(attribution),
    ...bugRow(result),
    ...(result.note === undefined ? [] : [row('note', result.note)]),
    row('do', adviseOn(attribution)),
    ...sectionsOf(attribution, result.claims),
    ...(result.measures === undefined ? [] : section('measured', measureLines(result))),
    '',
    ...expectedRows(result),
    ...(result.attempts ?? []).map((attempt, index) =>
      row(
        index === 0 ? 'runs' : '',
        `${index + 1}: ${attempt.verdict}, ${attempt.killer}, ${attempt.evidence}`,
      ),
    ),
    ...(evidence === '' ? [] : [row('evidence', evidence), ...openRow(attribution, evidence)]),
  ];
  return `${joinLines(lines)}\n`;
}

/** The proof step by step, what else happened, what it was not or may have been, and who said what. */
export function sectionsOf(attribution: Attribution, claims: CellResult['claims']): string[] {
  return [
    ...proofSections(attribution),
    ...findingSection(attribution),
    ...excludedSection(attribution),
    ...openSection(attribution),
    ...section('who said what', textTable(claims.map(claimColumns), INDENTED)),
  ];
}

function doubtRow(result: CellResult): string[] {
  const doubts = listDoubts(result);
  return doubts === '' ? [] : [row('doubt', doubts)];
}

const AGREES: Readonly<Record<string, string>> = { true: 'right', false: 'WRONG', null: '-' };

/** The parameters of the workload, also those at their default. */
function withRow({ parameters = {} }: CellResult): string[] {
  const texts = describeParameters(parameters);
  return texts === '' ? [] : [row('with', texts)];
}

/** The known bug that the cell was expected to show. */
function bugRow(result: CellResult): string[] {
  const bug = describeKnownBug(result);
  return bug === undefined ? [] : [row('bug', bug)];
}

/** The most memory that was used, next to the limit, and where both were read. */
function memoryRow(attribution: Attribution): string[] {
  const text = describeMemory(attribution);
  const { because = [] } = attribution.figures ?? {};
  if (text === '') return [];
  return [row('memory', `${text}${because.length === 0 ? '' : `   ${listPlaces(because)}`}`)];
}

/**
 * The steps in the order of time, then the other proof. Without steps (it is alive, or the result is older) only the proof.
 */
function proofSections(attribution: Attribution): string[] {
  const chain = stepsOf(attribution);
  if (chain.length === 0)
    return section('because (times are UTC)', textTable(listProof(attribution).map(proofColumns), INDENTED));
  const beside = textTable(proofBeside(attribution).map(proofColumns), INDENTED);
  // Of several records of one step only the first has its name.
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

function findingSection({ findings = [] }: Attribution): string[] {
  if (findings.length === 0) return [];
  const lines = findings.flatMap(({ what, explained, because }) => [
    `  ${explained ? '' : 'unexplained: '}${shortenPaths(what)}`,
    ...textTable(because.slice(0, MAX_REFS).map(refColumns), { indent: '    ' }),
    ...(because.length > MAX_REFS ? [`    and ${because.length - MAX_REFS} more records`] : []),
  ]);
  return section('also seen', lines);
}

/** What it was not, by what excludes it; of a proven killer only how much. */
function excludedSection({ excluded = [], confidence }: Attribution): string[] {
  if (excluded.length === 0) return [];
  if (confidence === 'proven') return [row('excluded', `${excluded.length} others; --json says by what`)];
  const rows = [...groupBy(excluded, ({ by }) => by)].map(([by, all]) => [
    all.map(({ what }) => what).join(', '),
    shortenPaths(by),
  ]);
  return section('excluded', textTable(rows, INDENTED));
}

function openSection({ open = [] }: Attribution): string[] {
  if (open.length === 0) return [];
  const lines = open.flatMap(({ what, why, wanted }) => [
    `  ${what}: ${shortenPaths(why)}`,
    `    would decide it: ${wanted}`,
  ]);
  return section('not excluded', lines);
}

function claimColumns({ layer, says, agrees }: CellResult['claims'][number]): string[] {
  return [AGREES[String(agrees)] ?? '', layer, shortenPaths(says)];
}

/** A heading and its lines, below an empty line. */
function section(heading: string, lines: readonly string[]): string[] {
  return ['', heading, ...(lines.length === 0 ? ['  nothing'] : lines)];
}

/** What the scenario demanded: each part that did not hold, with the name of its field; else all of it. */
function expectedRows(result: CellResult): string[] {
  if (result.mismatches.length === 0) {
    return [row('expected', `${describeOutcome(result.expected, result.measures)}${describeHeld(result)}`)];
  }
  return result.mismatches
    .map(mismatchSides)
    .flatMap(({ expected, observed }) => [row('expected', expected), row('observed', observed)]);
}

/** A command that opens the first record of the proof, ready to paste. */
function openRow(attribution: Attribution, evidence: string): string[] {
  const has = (ref: EvidenceRef): boolean => ref.line !== undefined;
  const first = attribution.because.find(has) ?? listProof(attribution).find(has);
  return first === undefined
    ? []
    : [row('open', `less +${first.line} ${shellWord(`${evidence}/${first.file}`)}`)];
}
