import { wordsOfTrait } from '../facts/traits.ts';
import { listTellingWords, scoreCatalogue, type CatalogueIndex } from '../search/catalogue-index.ts';
import type { Variant } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import type { Trait } from '../../model/declared/traits.ts';
import type { CaseCandidate } from '../../model/saved/case.ts';
import { shellWord } from '../../model/text/shell.ts';
import { listReportedBugs } from '../../plan/bugs/find-bug.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { wordsOfVariant } from '../variant/nearest-variant.ts';
import { toWeighed, weighCandidate, type WeighedCase } from './weigh-candidate.ts';

/** What is ranked, and by what. */
export interface RankedCase extends WeighedCase {
  readonly links: readonly string[];
  /** What its author writes, without what programs have printed. */
  readonly prose: string;
}

/** The catalogue. */
export interface RankedCatalogue extends Config {
  readonly index: CatalogueIndex;
}

/** How many are named. */
const MOST = 6;
/** How many of a search are looked at more closely. */
const LOOKED_AT = 400;
/** What is this much worse than the best one is chance. */
const WORTH = 0.2;

/** How much words count beside what both are about: one that a script repeats does not make it the subject. */
const OF_WORDS = 0.7;

/** A bug says more than its scenario: two sides, versions, and what to do. */
const OF_BUG = 1.4;

/** Where nothing but words is alike, so many of them, which few others have. A report with a trait needs more than words. */
const LEAST_WORDS = 3;

/** Bugs and scenarios that may show the death of a report, most likely first, each with the reason. */
export function rankCandidates(report: RankedCase, catalogue: RankedCatalogue): CaseCandidate[] {
  const known = report.links.flatMap((link) =>
    listReportedBugs(catalogue.bugs, link).map((bug) => ({ bug, link })),
  );
  const byLink = known
    .filter(({ bug }, index) => known.findIndex((one) => one.bug === bug) === index)
    .map(({ bug, link }) =>
      toCandidate(report, { kind: 'bug', name: bug.id, title: bug.title }, `${link} is a link of it`, bug),
    );
  const hasTraits = report.facts.some(({ name }) => name === 'trait');
  const ids = known.map(({ bug }) => `bug ${bug.id}`);
  const scored = scoreCatalogue(catalogue.index, textOf(report, catalogue.index), {
    kinds: ['bug', 'scenario'],
    most: LOOKED_AT,
    without: ids,
  }).map(({ found, score, rare }) => {
    const bug = catalogue.bugs.find(({ id }) => found.kind === 'bug' && id === found.name);
    const loaded = catalogue.scenarios.find(
      ({ scenario }) => scenario.name === (bug?.scenario ?? found.name),
    );
    const { factor, reasons } = weighCandidate(
      report,
      loaded === undefined ? undefined : toWeighed(catalogue, loaded, bug),
    );
    return {
      found,
      bug,
      score: score ** OF_WORDS * factor * (bug === undefined ? 1 : OF_BUG),
      why: reasons.length === 0 ? found.why : reasons.join('; '),
      isAlike: reasons.length > 0 || (!hasTraits && rare.length >= LEAST_WORDS),
    };
  });
  const sorted = scored.toSorted((one, other) => other.score - one.score);
  const least = (sorted.find(({ isAlike }) => isAlike)?.score ?? 0) * WORTH;
  const near = sorted
    .filter(({ score, isAlike }) => isAlike && score > 0 && score >= least)
    .map(({ found, bug, why }) =>
      toCandidate(report, { ...found, kind: bug === undefined ? 'scenario' : 'bug' }, why, bug),
    );
  return [...byLink, ...near].slice(0, MOST);
}

/** The words of a report that tell what it is about: not all that it pastes. */
function textOf({ title, facts, killers, prose }: RankedCase, index: CatalogueIndex): string {
  const NAMES = [
    'reason',
    'exit code',
    'signal',
    'trait',
    'node',
    'setting',
    'message',
    'runsc',
    'crun',
    'cri-o',
    'counter',
  ];
  return [
    title,
    title,
    ...facts
      .filter(({ name, role }) => NAMES.includes(name) && role !== 'works')
      .map(({ name, value }) =>
        name === 'runsc' ? 'gvisor runsc' : name === 'trait' ? wordsOfTrait(value as Trait) : value,
      ),
    ...killers,
    ...listTellingWords(index, prose),
  ].join(' ');
}

function toCandidate(
  { variant, facts }: RankedCase,
  { kind, name, title }: Pick<CaseCandidate, 'kind' | 'name' | 'title'>,
  why: string,
  bug: Bug | undefined,
): CaseCandidate {
  const words = wordsOfVariant(variant);
  const { affected, fixed, differs } = overridesOf(bug, variant, facts);
  const flags = [
    ...(affected.length === 0 ? [] : ['--affected', ...affected.map(shellWord)]),
    ...(fixed.length === 0 ? [] : ['--fixed', ...fixed.map(shellWord)]),
  ];
  const command =
    bug === undefined ? ['run', ...words.map(shellWord), `scenario=${name}`] : ['repro', name, ...flags];
  return {
    kind,
    name,
    title,
    why: [why, ...differs].join('; '),
    command: `npx whodunit ${command.join(' ')}`,
  };
}

/** What is asked of a bug for a report. */
export interface CaseOverrides {
  readonly affected: readonly string[];
  readonly fixed: readonly string[];
  /** Where the report has something else than the file of the bug, in words. */
  readonly differs: readonly string[];
}

/** Names of facts that say a low-level runtime with its version; that of gVisor may be a guess. */
const RUNTIMES: readonly string[] = ['runc', 'crun', 'runsc'];

/**
 * What is asked of both sides of a bug for a report: its versions, where the bug does not choose by them itself. A
 * runtime that the report names is asked of the affected side all the same: only then it is the death of the report.
 */
export function overridesOf(
  bug: Bug | undefined,
  variant: Variant,
  facts: RankedCase['facts'],
): CaseOverrides {
  if (bug === undefined) return { affected: [], fixed: [], differs: [] };
  const saysRuntime = facts.some(({ name, role }) => RUNTIMES.includes(name) && role === 'affected');
  const words = wordsOfVariant(variant).map((word) => ({ word, axis: word.split('=')[0] ?? '' }));
  const open = words
    .filter(({ axis }) => ['kubernetes', 'containerd'].includes(axis) || (axis === 'runtime' && saysRuntime))
    .filter(({ axis }) => bug.affected[axis] === undefined && bug.fixed[axis] === undefined)
    .map(({ word }) => word);
  const { runtime } = variant;
  const own = bug.affected['runtime'];
  // With the runtime of the fixed side both would be the same cell.
  const isOther = saysRuntime && own !== undefined && own !== runtime && bug.fixed['runtime'] !== runtime;
  return {
    affected: isOther ? [...open, `runtime=${runtime}`] : open,
    fixed: open,
    differs: isOther ? [`the report has runtime=${runtime} where the bug names ${own}`] : [],
  };
}
