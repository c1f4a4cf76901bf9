import type { Bug } from '../../lab/model/declared/bug.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import { formatDuration } from '../../lab/model/text/format-duration.ts';
import type { ReproOutcome } from '../../lab/model/saved/repro.ts';
import { describeRanges } from '../../lab/report/words/bug-facts.ts';
import {
  escapeMarkdown,
  escapeProse,
  inlineCode,
  linkOf,
  markdownHead,
  markdownRow,
} from '../../lab/report/text/markdown.ts';
import { figuresOf, measureTexts } from '../../lab/report/words/measure-lines.ts';
import { proofLines } from '../../lab/report/words/proof-lines.ts';
import { listRuns, type RecordedCell } from '../../lab/report/words/recorded-run.ts';
import { describeEnd } from '../../lab/report/words/describe-verdict.ts';
import { factNames, measureNames } from '../../lab/report/words/repro-case.ts';
import { nameVersions } from '../../lab/report/words/runc-words.ts';

/** The parts of `docs/measured/bugs.md` that are generated. */

/** A bug, and its variants as selectors: affected, fixed, controls. */
export interface CataloguedBug {
  readonly bug: Bug;
  readonly selectors: readonly string[];
}

/** A bug, and what runs found of its cells: affected, fixed, controls; undefined for a cell that no run observed. */
export interface MeasuredBug {
  readonly bug: Bug;
  readonly cells: readonly (RecordedCell | undefined)[];
  /** What both sides come to together; undefined when one of them was not run. */
  readonly judged: { readonly outcome: ReproOutcome; readonly note: string } | undefined;
}

/** Proof that is printed of one cell; its run has the rest. */
const MAX_PROOF = 4;

/** Renders what the files of the bugs say: what goes wrong, for whom, since when, and what can be done. */
export function renderBugCatalogue(bugs: readonly CataloguedBug[]): string {
  return bugs
    .flatMap(({ bug, selectors: [affected = '', fixed = '', ...controls] }) => [
      `### ${bug.id}`,
      '',
      `${escapeProse(bug.title)} (${bug.status})`,
      '',
      `- ${inlineCode(affected)} against ${inlineCode(fixed)}${controls.length === 0 ? '' : `, controls ${controls.map(inlineCode).join(', ')}`}; scenario ${inlineCode(bug.scenario)}`,
      ...describeRanges(bug).map(
        ({ text, source }) => `- affected: ${escapeProse(text)}, see ${linkOf(source)}`,
      ),
      ...(bug.workaround === undefined ? [] : [`- meanwhile: ${escapeProse(bug.workaround.text)}`]),
      ...(bug.reviewBy === undefined ? [] : [`- somebody looks at it again by ${bug.reviewBy}`]),
      `- reports: ${bug.links.map(linkOf).join(', ')}`,
      `- ${inlineCode(`npx whodunit repro ${bug.id}`)}`,
      ...(bug.table.length === 0
        ? []
        : [`- where it is and where not: ${inlineCode(`npx whodunit run bug=${bug.id}`)}`]),
      '',
    ])
    .join('\n');
}

/** What a section is called, with the id of its bug behind it. */
const SECTION = '### What was seen of ';

/** Begins the line of the bugs that have no section. */
const MISSING = 'Not run yet: ';

/**
 * Renders what runs found, a section for each bug. One whose cells are not all in these runs keeps the section that it
 * has; without one it is shown as far as it was run.
 *
 * @param before what is in the page: the sections of earlier runs.
 */
export function renderBugResults(bugs: readonly MeasuredBug[], before: string): string {
  const earlier = splitSections(before);
  const sections = bugs.map((measured) => {
    const kept = isWhole(measured) ? undefined : earlier.get(measured.bug.id);
    return { id: measured.bug.id, text: kept ?? renderMeasuredBug(measured) };
  });
  const missing = sections.flatMap(({ id, text }) => (text === undefined ? [inlineCode(id)] : []));
  return [
    ...sections.flatMap(({ text }) => text ?? []),
    ...(missing.length === 0 ? [] : [`${MISSING}${missing.join(', ')}.`]),
  ].join('\n\n');
}

function isWhole({ cells }: MeasuredBug): boolean {
  return cells.every((cell) => cell !== undefined);
}

/** The sections of a text, by the ids of their bugs. */
function splitSections(text: string): ReadonlyMap<string, string> {
  const parts = text.split(new RegExp(`^(?=${SECTION}|${MISSING})`, 'm'));
  const sections = parts.filter((part) => part.startsWith(SECTION));
  return new Map(
    sections.map((part) => [part.slice(SECTION.length, part.indexOf('\n')).trim(), part.trim()]),
  );
}

const ROLES = ['affected', 'fixed'] as const;

/** The end of a repeated cell is that of one of its runs: how many ended so is in its note. */
function describeRuns({ attempts, note }: CellResult): string {
  return attempts === undefined ? '1' : escapeMarkdown(note ?? String(attempts.length));
}

/** Undefined when no run has a cell of the bug. */
function renderMeasuredBug({ bug, cells, judged }: MeasuredBug): string | undefined {
  const runs = new Set(cells.flatMap((cell) => cell?.run ?? []));
  if (runs.size === 0) return undefined;
  const columns = cells.map((cell, index) => ({ role: ROLES[index] ?? 'control', ...split(cell) }));
  const row = (name: string, value: (cell: RecordedCell) => string): string =>
    markdownRow([name, ...columns.map(({ recorded }) => (recorded === undefined ? '-' : value(recorded)))]);
  const facts = factNames(columns);
  const measures = measureNames(columns.flatMap(({ recorded }) => recorded ?? []));
  const isRepeated = columns.some(({ recorded }) => recorded?.cell.attempts !== undefined);
  const table = [
    ...markdownHead(['', ...columns.map(({ role }) => role)]),
    row('cell', ({ cell }) => inlineCode(cell.address)),
    row('verdict', ({ cell }) => cell.verdict),
    row('happened', ({ cell }) => escapeMarkdown(describeEnd(cell))),
    ...(isRepeated ? [row('runs', ({ cell }) => describeRuns(cell))] : []),
    ...measures.map((name) => row(inlineCode(name), ({ cell }) => escapeMarkdown(figuresOf(cell, name)))),
    ...facts.map((name) =>
      markdownRow([
        escapeMarkdown(name),
        ...columns.map((column) => escapeMarkdown(column.facts[name] ?? '-')),
      ]),
    ),
    row('took', ({ cell }) => (cell.verdict === 'skipped' ? '-' : formatDuration(cell.timings.totalMs))),
    row('run', ({ run: { result } }) => `${inlineCode(result.run)}, ${result.startedAt.slice(0, 10)}`),
  ];
  const said =
    judged === undefined
      ? 'Not all of it was run.'
      : `**${judged.outcome}**: ${escapeMarkdown(judged.note)}.`;
  return [
    `${SECTION}${bug.id}`,
    '',
    'Made from:',
    '',
    ...listRuns([...runs]),
    '',
    said,
    '',
    ...table,
    ...renderStartFailures(columns),
    ...renderAbsence(bug, columns[0]?.recorded),
  ].join('\n');
}

/** What containerd said where no pod of a cell's world started. */
function renderStartFailures(columns: readonly (Column & { readonly role: string })[]): string[] {
  const lines = columns.flatMap(({ role, recorded }) => {
    const seen = recorded?.cell.startFailure?.seen;
    return seen === undefined ? [] : [`- ${role}: ${inlineCode(seen)}`];
  });
  return lines.length === 0 ? [] : ['', "What containerd's journal says where no pod starts:", '', ...lines];
}

/** What shows that a bug which only versions of its time have is gone. */
function renderAbsence(bug: Bug, affected: RecordedCell | undefined): string[] {
  if (bug.status !== 'historic' || affected === undefined) return [];
  const proof = [...measureTexts(affected.cell), ...proofLines(affected.cell)].slice(0, MAX_PROOF);
  return ['', 'Where it is looked for now:', '', ...proof.map((line) => `- ${escapeMarkdown(line)}`)];
}

interface Column {
  readonly recorded: RecordedCell | undefined;
  readonly facts: Readonly<Record<string, string>>;
}

/** A cell with the versions that its nodes printed. */
function split(recorded: RecordedCell | undefined): Column {
  const effective = recorded?.run.effective.get(recorded.cell.address);
  return { recorded, facts: nameVersions(effective?.versions ?? {}) };
}
