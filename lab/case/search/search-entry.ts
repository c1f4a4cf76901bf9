import type { Bug } from '../../model/declared/bug.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { KILLERS, rowOf } from '../../model/killers/killers.ts';
import type { SearchKind } from '../../model/saved/found.ts';
import { parseReportLink } from '../../plan/bugs/find-bug.ts';

/** The texts of an entry, by what they are about. */
export const SEARCH_FIELDS = ['title', 'symptoms', 'components', 'links', 'text'] as const;

/** What a text of an entry is about. */
export type SearchFieldName = (typeof SEARCH_FIELDS)[number];

/** Something that can be found: a bug, a scenario, a killer, or a part of a page of the docs. */
export interface SearchEntry extends Readonly<Record<SearchFieldName, string>> {
  /** `bug oom-reported-as-error`; for the index. */
  readonly id: string;
  readonly kind: SearchKind;
  readonly name: string;
}

/** A page of the docs, as it was read. */
export interface Page {
  /** Its path in the project. */
  readonly path: string;
  readonly text: string;
}

/** Everything that a search can find, in the order of kinds that a reader wants. */
export function listSearchEntries(
  { bugs, scenarios }: { readonly bugs: readonly Bug[]; readonly scenarios: readonly LoadedScenario[] },
  pages: readonly Page[],
): SearchEntry[] {
  return [
    ...bugs.map((bug) => ofBug(bug, scenarios)),
    ...scenarios.map(ofScenario),
    ...KILLERS.map((killer): SearchEntry => {
      const { proof, advice, hows } = rowOf(killer);
      return entryOf('killer', killer, {
        title: [killer, ...Object.keys(hows)].join(' '),
        symptoms: proof,
        text: advice,
      });
    }),
    ...pages.flatMap(ofPage),
  ];
}

function entryOf(
  kind: SearchKind,
  name: string,
  texts: Partial<Record<SearchFieldName, string>>,
): SearchEntry {
  const { title = '', symptoms = '', components = '', links = '', text = '' } = texts;
  return { id: `${kind} ${name}`, kind, name, title, symptoms, components, links, text };
}

function ofBug(bug: Bug, scenarios: readonly LoadedScenario[]): SearchEntry {
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  const sides = [bug.affected, bug.fixed].flatMap((side) => Object.entries(side).flat());
  const reports = bug.links.flatMap((link) => parseReportLink(link) ?? []);
  return entryOf('bug', bug.id, {
    title: `${bug.id} ${bug.title}`,
    symptoms: [...bug.whatToSee, loaded === undefined ? '' : symptomsOf(loaded)].join('\n'),
    components: [
      ...sides,
      ...bug.ranges.map(({ component }) => component),
      ...reports.map((report) => report.replace(/#.*/, '').replace('/', ' ')),
    ].join(' '),
    links: bug.links.join(' '),
    text: [bug.summary, bug.workaround?.text ?? ''].join('\n'),
  });
}

function ofScenario(loaded: LoadedScenario): SearchEntry {
  const { scenario } = loaded;
  const { name, title, tags, parameters, stimulus } = scenario;
  return entryOf('scenario', name, {
    title: `${name} ${title}`,
    symptoms: symptomsOf(loaded),
    components: [...tags, ...Object.keys(parameters)].join(' '),
    text: [
      ...stimulus.map((one) => JSON.stringify(one)),
      scenario.expect.then === 'restarts' ? 'restarts CrashLoopBackOff' : '',
    ].join('\n'),
  });
}

/** What a person who meets such a death can see of it. */
function symptomsOf({ scenario: { expect, variants } }: LoadedScenario): string {
  return [expect, ...variants.map((entry) => entry.expect)]
    .flatMap(({ killer, how = [], reason = [], podReason = [], exitCode = [], measures = [] }) => [
      killer ?? '',
      ...how,
      ...reason,
      ...podReason,
      ...exitCode.map(String),
      ...measures.map(({ measure }) => measure),
    ])
    .join(' ');
}

/** A page has a part for each of its headings. */
function ofPage({ path, text }: Page): SearchEntry[] {
  const parts = text.split(/^(?=#{1,3} )/m).filter((part) => part.startsWith('#'));
  return parts.map((part) => {
    const [first = '', ...rest] = part.split('\n');
    const heading = first.replace(/^#+ /, '').replaceAll('`', '');
    return entryOf('page', `${path}: ${heading}`, { title: heading, text: rest.join('\n') });
  });
}
