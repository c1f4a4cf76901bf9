import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { variantName } from '../../model/axes/axes.ts';
import type { Case, CaseCandidate, MadeScenario } from '../../model/saved/case.ts';
import { rankCandidates } from '../candidates/rank-candidates.ts';
import { makeScenario } from '../candidates/make-scenario.ts';
import { bugOfLink } from '../search/bug-of-link.ts';
import type { CatalogueIndex } from '../search/catalogue-index.ts';
import { findNearestVariant, wordsOfVariant } from '../variant/nearest-variant.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import type { ReadCase } from './read-case.ts';

/** What an answer needs beside the report. */
export interface CaseContext {
  readonly config: Config;
  readonly index: CatalogueIndex;
  /** What is wrong with files that are to be added to the project. */
  readonly check: (files: MadeScenario['files']) => readonly string[];
  /** What a person calls the report on a command line. */
  readonly spelled: string;
}

/** Answers a report: its facts, the nearest variant with every distance, candidates, and the next command. */
export function answerCase(report: ReadCase, { config, index, check, spelled }: CaseContext): Case {
  const { title, links, facts, traces, deaths, objects, problems } = report;
  const { variant, distances } = findNearestVariant(config, facts);
  const base = {
    formatVersion: FORMAT_VERSION as Case['formatVersion'],
    title,
    links: [...links],
    facts: [...facts],
    traces: [...traces],
    deaths: [...deaths],
    distances: [...distances],
    problems: [...problems],
  };
  if (variant === undefined) return { ...base, candidates: [], next: `npx whodunit autopsy ${spelled}` };
  const candidates = rankCandidates(
    { title, links, facts, prose: report.prose, killers: report.killers, variant },
    { ...config, index },
  );
  const made = makeOf(report, config, variant, check);
  const usable = made?.problems.length === 0;
  const own: CaseCandidate[] =
    made !== undefined && usable
      ? [
          {
            kind: 'made',
            name: made.name,
            title: 'the pod of the report, with programs of the lab',
            why: `made of ${objects.length === 1 ? 'its manifest' : 'its manifests'}: ${made.changes.length} changes`,
            command: `npx whodunit case ${spelled} --write`,
          },
        ]
      : [];
  const all = [...candidates, ...own];
  return {
    ...base,
    variant: { name: variantName(variant), words: wordsOfVariant(variant) },
    candidates: all,
    problems: [
      ...problems,
      ...(candidates.length > 0
        ? []
        : ['nothing in the catalogue is like it: what it is about is staged by no scenario yet']),
    ],
    ...(made === undefined ? {} : { made }),
    next:
      all.length === 0
        ? `npx whodunit new bug ${links[0] ?? '<link>'}`
        : `npx whodunit case ${spelled} --run --dry-run`,
  };
}

function makeOf(
  { title, links, facts, objects }: ReadCase,
  { matrix, bugs, scenarios }: Config,
  variant: NonNullable<ReturnType<typeof findNearestVariant>['variant']>,
  check: CaseContext['check'],
): MadeScenario | undefined {
  const [link] = links;
  const reported = link === undefined ? undefined : bugOfLink(link);
  const taken = [...bugs.map(({ id }) => id), ...scenarios.map(({ scenario }) => scenario.name)];
  const id = freeName(reported?.id ?? nameOfTitle(title), taken);
  const made = makeScenario({
    id,
    title: title === '' ? `A report without a title` : title,
    link: reported?.link,
    facts,
    objects,
    variant,
    matrix,
  });
  return made === undefined ? undefined : { ...made, problems: [...check(made.files)] };
}

function nameOfTitle(title: string): string {
  const words = title
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2)
    .slice(0, 5);
  return words.length === 0 ? 'reported-case' : words.join('-').slice(0, 40).replace(/-+$/, '');
}

/** A name that no bug and no scenario has. */
function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) free = `${name}-${number}`;
  return free;
}
