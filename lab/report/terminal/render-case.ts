import type { Case, CaseFact, PlannedCandidate } from '../../model/saved/case.ts';
import { formatSpan } from '../../model/text/format-duration.ts';
import { row } from '../text/page-rows.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';
import { section } from './attribution-sections.ts';
import { describeTriedCandidate } from '../words/describe-candidate.ts';

/** Facts that are shown; `--json` has all. */
const MOST_FACTS = 40;
const MOST_DEATHS = 5;

/** What `whodunit case` prints. */
export function renderCase(answer: Case): string {
  const { title = '', variant, next } = answer;
  return joinLines([
    title === '' ? 'a report without a title' : title,
    ...readSections(answer),
    '',
    row('variant', variant === undefined ? 'none: nothing that the lab builds is near' : variant.name),
    ...nearSections(answer),
    ...doneSections(answer),
    '',
    `next: ${next}`,
  ]);
}

/** Renders the facts in the report. */
function readSections({ facts, deaths }: Case): string[] {
  const more = facts.length - MOST_FACTS;
  const judged = deaths
    .slice(0, MOST_DEATHS)
    .map(
      ({ pod = '?', container = '?', attribution }) =>
        `  ${pod}/${container}: ${attribution.killer} (${attribution.confidence})`,
    );
  return [
    ...section('facts', textTable(facts.slice(0, MOST_FACTS).map(factColumns), INDENTED)),
    ...(more > 0 ? [`  and ${more} more: --json`] : []),
    ...sectionOf('what its logs say', judged),
  ];
}

/** Renders what the lab has that is similar. */
function nearSections({ distances, candidates, made, problems }: Case): string[] {
  const differing = distances.map(({ of, report, lab, why }) => [of, report, `→ ${lab}`, why]);
  const named = candidates.flatMap(({ kind, name, title, why, command }, index) => [
    `  ${index + 1}. ${kind} ${name}: ${title}`,
    `     because ${why}`,
    `     ${command}`,
  ]);
  const changes = (made?.changes ?? []).map((change) => `  ${change}`);
  const refused = (made?.problems ?? []).map((problem) => `  cannot be used: ${problem}`);
  return [
    ...sectionOf('distances', textTable(differing, INDENTED)),
    ...sectionOf('candidates', named),
    ...sectionOf('a scenario from its manifests', [...changes, ...refused]),
    ...sectionOf(
      'not said, not read',
      problems.map((problem) => `  ${problem}`),
    ),
  ];
}

/** Renders what was written and staged. */
function doneSections({ written = [], planned = [], tried = [] }: Case): string[] {
  return [
    ...sectionOf(
      'written',
      written.map((path) => `  ${path}`),
    ),
    ...sectionOf('staged, cheapest first', planned.flatMap(plannedLines)),
    ...tried.flatMap((one) => {
      const rows = one.traces.map(({ layer, what, value, cell = '-', state }) => [
        layer,
        what,
        value,
        cell,
        state,
      ]);
      return section(describeTriedCandidate(one), textTable(rows, INDENTED));
    }),
  ];
}

function sectionOf(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : section(heading, lines);
}

function factColumns({ name, value, role, words, file, line, note }: CaseFact): string[] {
  const said = role === 'affected' ? '' : ` (${role})`;
  return [
    name,
    `${value}${said}`,
    `${file}:${line}`,
    note === undefined ? `"${words}"` : `"${words}"; ${note}`,
  ];
}

function plannedLines({ candidate, addresses, estimateSeconds, refused }: PlannedCandidate): string[] {
  const cost =
    estimateSeconds === undefined ? 'cannot be run' : `about ${formatSpan(estimateSeconds * 1000)}`;
  return [
    `  ${candidate}: ${cost}${refused === undefined ? '' : `: ${refused}`}`,
    ...addresses.map((address) => `     ${address}`),
  ];
}
