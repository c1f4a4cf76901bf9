import type { Case, CaseFact, PlannedCandidate } from '../../model/saved/case.ts';
import { formatSpan } from '../../model/text/format-duration.ts';
import { row } from '../text/page-rows.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';
import { section } from './attribution-sections.ts';
import { describeTried } from '../words/describe-tried.ts';

/** Facts that are shown; `--json` has all. */
const MOST_FACTS = 40;
const MOST_DEATHS = 5;

/** What `whodunit case` prints. */
export function renderCase(answer: Case): string {
  const {
    title,
    facts,
    deaths,
    variant,
    distances,
    candidates,
    made,
    written = [],
    planned = [],
    tried = [],
    problems,
    next,
  } = answer;
  return joinLines([
    title === undefined || title === '' ? 'a report without a title' : title,
    ...section('facts', textTable(facts.slice(0, MOST_FACTS).map(factColumns), INDENTED)),
    ...(facts.length > MOST_FACTS ? [`  and ${facts.length - MOST_FACTS} more: --json`] : []),
    ...(deaths.length === 0
      ? []
      : section(
          'what its logs say',
          deaths
            .slice(0, MOST_DEATHS)
            .map(
              ({ pod = '?', container = '?', attribution }) =>
                `  ${pod}/${container}: ${attribution.killer} (${attribution.confidence})`,
            ),
        )),
    '',
    row('variant', variant === undefined ? 'none: nothing that the lab builds is near' : variant.name),
    ...section(
      'distances',
      textTable(
        distances.map(({ of, report, lab, why }) => [of, report, `→ ${lab}`, why]),
        INDENTED,
      ),
    ),
    ...(candidates.length === 0
      ? []
      : section(
          'candidates',
          candidates.flatMap(({ kind, name, title: about, why, command }, index) => [
            `  ${index + 1}. ${kind} ${name}: ${about}`,
            `     because ${why}`,
            `     ${command}`,
          ]),
        )),
    ...(made === undefined
      ? []
      : section('a scenario of its manifests', [
          ...made.changes.map((change) => `  ${change}`),
          ...made.problems.map((problem) => `  cannot be used: ${problem}`),
        ])),
    ...(problems.length === 0
      ? []
      : section(
          'not said, not read',
          problems.map((problem) => `  ${problem}`),
        )),
    ...(written.length === 0
      ? []
      : section(
          'written',
          written.map((path) => `  ${path}`),
        )),
    ...(planned.length === 0 ? [] : section('staged, cheapest first', planned.flatMap(plannedLines))),
    ...tried.flatMap((one) =>
      section(
        describeTried(one),
        textTable(
          one.traces.map(({ layer, what, value, cell, state }) => [layer, what, value, cell ?? '-', state]),
          INDENTED,
        ),
      ),
    ),
    '',
    `next: ${next}`,
  ]);
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
