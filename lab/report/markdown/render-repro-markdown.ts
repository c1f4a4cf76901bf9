import type { CheckedProof } from '../../model/saved/checked.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { describeComparison, unitOf } from '../../model/saved/describe-measure.ts';
import { describeRanges } from '../words/bug-facts.ts';
import {
  codeBlock,
  escapeMarkdown,
  escapeProse,
  inlineCode,
  linkOf,
  markdownHead,
  markdownRow,
} from '../text/markdown.ts';
import { figuresOf, measureTexts } from '../words/measure-lines.ts';
import { triedLines } from '../words/tried-lines.ts';
import { mismatchSides, proofLines } from '../words/proof-lines.ts';
import { describeEnd, describeExpected } from '../words/describe-verdict.ts';
import {
  describeOverrides,
  factNames,
  measureNames,
  reproCommand,
  type ReproCase,
  type ReproCell,
} from '../words/repro-case.ts';

/** So many problems of a proof are listed; `whodunit check` prints all of them. */
const MOST_PROBLEMS = 5;

const OUTCOMES = {
  reproduced: 'Reproduced',
  'not-reproduced': 'Not reproduced',
  inconclusive: 'Inconclusive',
};

/** Renders a reproduction as Markdown, ready to paste into an issue of the project that has the bug. */
export function renderReproMarkdown(repro: ReproCase): string {
  const { bug, cells, run } = repro;
  const overrides = describeOverrides(repro);
  return [
    `### ${escapeProse(bug.title)}`,
    '',
    `**${OUTCOMES[repro.outcome]}**: ${escapeMarkdown(`${repro.note}.`)}`,
    '',
    ...(overrides === undefined
      ? []
      : [`Asked with other values than those of the report: ${inlineCode(overrides)}.`, '']),
    ...(repro.repeat === 1 ? [] : [`Each side was run ${repro.repeat} times.`, '']),
    ...renderTable(cells),
    '',
    ...repro.compared.map(
      (comparison) =>
        `- ${escapeMarkdown(describeComparison(comparison, unitAmong(cells, comparison.measure)))}, because ${escapeProse(comparison.reason)}`,
    ),
    ...(repro.compared.length === 0 ? [] : ['']),
    ...cells.flatMap(renderCell),
    '**How to repeat**',
    '',
    'With whodunit, which builds both clusters in virtual machines:',
    '',
    ...codeBlock([`npx whodunit ${reproCommand(repro)}`]),
    '',
    ...(run === undefined
      ? []
      : [
          `Run ${escapeMarkdown(run.run)} of ${escapeMarkdown(run.startedAt.slice(0, 10))}, ${run.accelerator === 'kvm' ? 'KVM' : 'emulated'}.`,
          '',
        ]),
    '**Mechanism**',
    '',
    escapeProse(bug.summary),
    '',
    ...renderRanges(bug),
    ...(bug.workaround === undefined ? [] : ['**Workaround**', '', renderWorkaround(bug.workaround), '']),
    '**Reports**',
    '',
    ...bug.links.map((link) => `- ${linkOf(link)}`),
  ].join('\n');
}

function renderRanges(bug: ReproCase['bug']): string[] {
  const ranges = describeRanges(bug);
  if (ranges.length === 0) return [];
  const items = ranges.map(({ text, source }) => `- ${escapeProse(text)}: ${linkOf(source)}`);
  return ['**Affected versions**', '', ...items, ''];
}

function renderWorkaround({ text, link }: NonNullable<ReproCase['bug']['workaround']>): string {
  return link === undefined ? escapeProse(text) : `${escapeProse(text)} ${linkOf(link)}`;
}

/** The unit of a measure that some of the cells have. */
function unitAmong(cells: readonly ReproCell[], measure: string): string {
  return unitOf(
    measure,
    cells.flatMap(({ cell }) => cell.measures ?? []),
  );
}

function renderTable(cells: readonly ReproCell[]): string[] {
  const row = (name: string, value: (cell: ReproCell) => string): string =>
    markdownRow([name, ...cells.map((cell) => value(cell))]);
  return [
    ...markdownHead(['', ...cells.map(({ role }) => role)]),
    row('cell', ({ cell }) => inlineCode(cell.address)),
    row('expected', ({ cell }) => escapeMarkdown(describeExpected(cell))),
    row('happened', ({ cell }) => `**${escapeMarkdown(describeEnd(cell))}**`),
    row('verdict', ({ cell }) => cell.verdict),
    ...measureNames(cells).map((name) =>
      row(inlineCode(name), ({ cell }) => escapeMarkdown(figuresOf(cell, name))),
    ),
    ...factNames(cells).map((name) =>
      row(escapeMarkdown(name), ({ facts }) => escapeMarkdown(facts[name] ?? '-')),
    ),
  ];
}

function renderCell({ role, cell, checked }: ReproCell): string[] {
  const proof = proofLines(cell);
  const silent = cell.claims.filter((claim) => claim.agrees === null);
  const told = cell.claims.filter((claim) => claim.agrees !== null);
  return [
    `**${role}: ${inlineCode(cell.address)}**`,
    '',
    renderLead(cell),
    '',
    ...cell.mismatches
      .map(mismatchSides)
      .map(
        ({ expected, observed }) =>
          `- expected ${escapeMarkdown(expected)}; observed ${escapeMarkdown(observed)}`,
      ),
    ...told.map(
      (claim) =>
        `- ${claim.layer} says ${inlineCode(claim.says)}${claim.agrees === true ? '' : ': **wrong**'}`,
    ),
    ...[...triedLines(cell), ...measureTexts(cell)].map((text) => `- ${escapeMarkdown(text)}`),
    ...silent.map((claim) => `- ${claim.layer}: ${inlineCode(claim.says)}`),
    '',
    ...(proof.length === 0 ? [] : [...codeBlock(proof), '']),
    ...(checked === undefined ? [] : [...renderChecked(checked), '']),
  ];
}

/** What the check says of a proof. A result without a proof has nothing that could be accepted. */
function renderChecked({ ok, note, problems }: CheckedProof): string[] {
  if (ok) return ['Its proof is checked by `whodunit check`: accepted.'];
  if (problems.length === 0) return [escapeMarkdown(`Its proof is not checked: ${note ?? 'there is none'}.`)];
  return [
    '**Its proof is not accepted by `whodunit check`:**',
    '',
    ...problems.slice(0, MOST_PROBLEMS).map(({ problem, file, line }) => {
      const place = file === undefined ? '' : `${inlineCode(placeOf({ file, line }))}: `;
      return `- ${place}${escapeMarkdown(problem)}`;
    }),
    ...(problems.length > MOST_PROBLEMS ? [`- and ${problems.length - MOST_PROBLEMS} more`] : []),
  ];
}

/** Whom the cell is about, and what is to be said of it. The line that shows a start failure is among its proof. */
function renderLead({ attribution: { victim }, note, startFailure }: CellResult): string {
  const said = startFailure === undefined ? note : note?.replace(`; seen: ${startFailure.seen}`, '');
  return [
    ...(victim === '' ? [] : [`Victim ${inlineCode(victim)}.`]),
    ...(said === undefined ? [] : [escapeMarkdown(`${said}.`)]),
  ].join(' ');
}
