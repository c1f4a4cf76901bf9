import { create } from 'xmlbuilder2';
import { scenarioPart } from '../../model/host/cell-address.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { disarmMarkup } from '../../model/text/log-commands.ts';
import { plainText } from '../../model/text/plain-text.ts';
import { sum } from '../../model/text/sum.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { measureTexts } from '../words/measure-lines.ts';
import { triedLines } from '../words/tried-lines.ts';
import { renderCellProblems } from '../words/cell-problems.ts';
import { describeKiller } from '../words/describe-verdict.ts';

/**
 * Renders a run as JUnit XML: one suite, one test case for each cell. Failed cells are failures. Inconclusive and
 * interrupted ones are errors. Cells that a rule refused are skipped. Jenkins, GitLab and others read what holds against the schema
 * of Jenkins (test/fixtures/junit/).
 */
export function renderJunit(result: RunResult): string {
  const { totals, host } = result;
  const counts = {
    tests: result.cells.length,
    failures: totals.failed,
    errors: totals.inconclusive + totals.interrupted,
    time: toSeconds(sum(result.cells.map((cell) => cell.timings.totalMs))),
  };
  const document = create({ version: '1.0', encoding: 'UTF-8' });
  const root = document.ele('testsuites', { name: 'whodunit', ...counts });
  const suite = root.ele('testsuite', {
    name: result.run,
    timestamp: printable(result.startedAt),
    ...counts,
    skipped: totals.skipped,
  });
  const properties = suite.ele('properties');
  for (const [name, value] of Object.entries({ accelerator: result.accelerator, ...host }))
    properties.ele('property', { name: printable(name), value: printable(String(value)) });
  for (const cell of result.cells) {
    const variant = cell.address.slice(0, cell.address.lastIndexOf('/'));
    const test = suite.ele('testcase', {
      name: printable(scenarioPart(cell.address)),
      classname: printable(variant),
      time: toSeconds(cell.timings.totalMs),
    });
    const text = printable(renderCellProblems(cell).join('\n'));
    const message = printable(describeVerdict(cell));
    if (cell.verdict === 'failed') test.ele('failure', { message, type: cell.attribution.killer }).txt(text);
    else if (cell.verdict === 'skipped') test.ele('skipped', { message });
    else if (cell.verdict !== 'passed') test.ele('error', { message, type: cell.verdict }).txt(text);
    const bug = describeKnownBug(cell);
    const said = [
      `killer ${describeKiller(cell)}`,
      ...(bug === undefined ? [] : [`bug ${bug}`]),
      ...triedLines(cell),
      ...measureTexts(cell),
      `evidence ${cell.evidence}`,
    ];
    test.ele('system-out').txt(printable(said.join('\n')));
  }
  return disarmMarkup(document.end({ prettyPrint: true })) + '\n';
}

function describeVerdict(cell: CellResult): string {
  if (cell.note !== undefined) return cell.note;
  const [first] = cell.mismatches;
  if (first === undefined) return describeKiller(cell);
  return `${first.field}: expected ${first.expected}, observed ${first.observed}`;
}

function toSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML 1.0 has no way to write what nobody sees, such as control characters; kernel logs may contain them. */
const printable = plainText;
