import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import { describeParameters } from '../../model/declared/parameters.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { TestedVerdict } from '../../model/saved/prove.ts';
import { adviseOnCell } from '../words/advise.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { explainSkipped, explainUnseen, isUnobserved } from '../words/explain-unjudged.ts';
import { describeRunc } from '../words/runc-words.ts';
import { describeHeld, describeVictim, describeWho } from '../words/cell-words.ts';
import { nameConclusion } from '../words/proof-words.ts';
import { measureLines } from '../words/measure-lines.ts';
import { triedLines } from '../words/tried-lines.ts';
import { row } from '../text/page-rows.ts';
import { joinLines } from '../text/text-table.ts';
import { listDoubts, mismatchSides } from '../words/proof-lines.ts';
import {
  claimSection,
  excludedSection,
  findingSection,
  memoryRow,
  openRow,
  openSection,
  proofSections,
  section,
} from './attribution-sections.ts';

/**
 * Renders `whodunit why <address>`: the killer, how sure it is, the chain of events with file and line, what else happened,
 * who claimed what, and where the evidence is. A cell that a rule refused, or that was not observed, has another page.
 *
 * @param evidence the path by which the reader can open the cell's folder; empty if nothing was saved; default: the path
 *   in the result.
 * @param experiments that tested the verdict.
 */
export function explainCell(
  result: CellResult,
  evidence: string = result.evidence,
  experiments: readonly TestedVerdict[] = [],
): string {
  if (result.verdict === 'skipped') return explainSkipped(result);
  if (isUnobserved(result)) return explainUnseen(result, evidence);
  const { attribution } = result;
  const lines = [
    `${result.address}: ${result.verdict}`,
    '',
    row('killer', describeWho(result)),
    ...experiments.map((tested) => row('tested', `${nameConclusion(tested)}, run ${tested.run}`)),
    ...doubtRow(result),
    row('victim', describeVictim(attribution)),
    ...withRow(result),
    ...memoryRow(attribution),
    ...bugRow(result),
    ...(result.note === undefined ? [] : [row('note', result.note)]),
    row('do', adviseOnCell(result)),
    ...proofSections(attribution),
    ...findingSection(attribution),
    ...excludedSection(attribution),
    ...openSection(attribution),
    ...claimSection(result.claims),
    ...(result.tried === undefined
      ? []
      : section(
          'deaths',
          triedLines(result).map((line) => `  ${line}`),
        )),
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

/** Which runc ran what; nothing where the variant names none. */
export function runcRow(...[variant, versions]: Parameters<typeof describeRunc>): string[] {
  const text = describeRunc(variant, versions);
  return text === undefined ? [] : [joinLines([row('runtime', text)])];
}

function doubtRow(result: CellResult): string[] {
  const doubts = listDoubts(result);
  return doubts === '' ? [] : [row('doubt', doubts)];
}

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

/** What the scenario demanded: each part that did not hold, with the name of its field; else all of it. */
function expectedRows(result: CellResult): string[] {
  if (result.mismatches.length === 0) {
    return [row('expected', `${describeOutcome(result.expected, result.measures)}${describeHeld(result)}`)];
  }
  return result.mismatches
    .map(mismatchSides)
    .flatMap(({ expected, observed }) => [row('expected', expected), row('observed', observed)]);
}
