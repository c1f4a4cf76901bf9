import { listStaged, TRAITS, traitsOfFiles, type Trait } from '../facts/traits.ts';
import { listTellingWords, scoreCatalogue, type CatalogueIndex } from '../search/catalogue-index.ts';
import type { Variant } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import type { Killer } from '../../model/killers/killers.ts';
import type { CaseCandidate, CaseFact } from '../../model/saved/case.ts';
import { shellWord } from '../../model/text/shell.ts';
import { listReportedBugs } from '../../plan/bugs/find-bug.ts';
import { wordsOfVariant } from '../variant/nearest-variant.ts';

/** What is ranked, and by what. */
export interface RankedCase {
  readonly title: string;
  readonly links: readonly string[];
  readonly facts: readonly CaseFact[];
  /** What its author writes, without what programs have printed. */
  readonly prose: string;
  /** The killers that the judge names of its logs, or leaves open. */
  readonly killers: readonly Killer[];
  readonly variant: Variant;
}

/** The catalogue. */
export interface RankedCatalogue {
  readonly bugs: readonly Bug[];
  readonly scenarios: readonly LoadedScenario[];
  readonly index: CatalogueIndex;
}

/** How many are named. */
const MOST = 6;
/** How many of a search are looked at more closely. */
const LOOKED_AT = 40;
/** What is this much worse than the best one is chance. */
const WORTH = 0.2;

/** Where nothing but words is alike, so many of them. A report with a trait needs more than words. */
const LEAST_WORDS = 3;

/** Bugs and scenarios that may show the death of a report, most likely first, each with the reason. */
export function rankCandidates(report: RankedCase, catalogue: RankedCatalogue): CaseCandidate[] {
  const known = report.links.flatMap((link) =>
    listReportedBugs(catalogue.bugs, link).map((bug) => ({ bug, link })),
  );
  const byLink = known.map(({ bug, link }) =>
    toCandidate(report, { kind: 'bug', name: bug.id, title: bug.title }, `${link} is a link of it`, bug),
  );
  const hasTraits = report.facts.some(({ name }) => name === 'trait');
  const ids = known.map(({ bug }) => `bug ${bug.id}`);
  const scored = scoreCatalogue(catalogue.index, textOf(report, catalogue.index), {
    kinds: ['bug', 'scenario'],
    most: LOOKED_AT,
    without: ids,
  }).map(({ found, score }) => {
    const bug = catalogue.bugs.find(({ id }) => found.kind === 'bug' && id === found.name);
    const loaded = catalogue.scenarios.find(
      ({ scenario }) => scenario.name === (bug?.scenario ?? found.name),
    );
    const { factor, reasons } = weigh(report, loaded, bug);
    return {
      found,
      bug,
      score: score * factor,
      reasons: [...reasons, found.why],
      isAlike: reasons.length > 0 || (!hasTraits && found.why.split('", "').length >= LEAST_WORDS),
    };
  });
  const sorted = scored.toSorted((one, other) => other.score - one.score);
  const least = (sorted[0]?.score ?? 0) * WORTH;
  const near = sorted
    .filter(({ score, isAlike }) => isAlike && score > 0 && score >= least)
    .map(({ found, bug, reasons }) =>
      toCandidate(
        report,
        { ...found, kind: bug === undefined ? 'scenario' : 'bug' },
        reasons.join('; '),
        bug,
      ),
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
      .filter(({ name }) => NAMES.includes(name))
      .map(({ name, value }) => (name === 'runsc' ? 'gvisor runsc' : value)),
    ...killers,
    ...listTellingWords(index, prose),
  ].join(' ');
}

function weigh(
  { facts, killers, variant }: RankedCase,
  loaded: LoadedScenario | undefined,
  bug: Bug | undefined,
): { factor: number; reasons: string[] } {
  if (loaded === undefined) return { factor: 0.5, reasons: [] };
  const { scenario } = loaded;
  const reasons: string[] = [];
  let factor = 1;
  const wanted = facts.filter(({ name }) => name === 'trait').map(({ value }) => value as Trait);
  const own = traitsOfFiles([listStaged(loaded), scenario.tags]);
  const shared = wanted.filter((trait) => own.includes(trait));
  if (shared.length > 0) {
    factor *= 1 + shared.length;
    reasons.push(`both have ${shared.join(', ')}`);
  }
  // What the report is about and the scenario lacks cannot be shown by it.
  for (const trait of wanted) if (!own.includes(trait) && trait in TRAITS) factor *= 0.8;
  // What is special about the scenario, and the report says nothing of.
  for (const trait of own) if (!wanted.includes(trait)) factor *= 0.85;
  const knobs = bug?.affected.knobs ?? 'none';
  if (knobs !== 'none' && variant.knobs !== knobs) factor *= 0.5;
  if (knobs !== 'none' && variant.knobs === knobs) {
    factor *= 2;
    reasons.push(`both have the settings of ${knobs}`);
  }
  const ends = [scenario.expect, ...scenario.variants.map(({ expect }) => expect)];
  const killer = killers.find((name) => ends.some((end) => end.killer === name));
  if (killer !== undefined) {
    factor *= scenario.expect.killer === killer ? 3 : 1.5;
    reasons.push(`it is killed by ${killer}`);
  }
  const codes = facts
    .filter(({ name, role }) => name === 'exit code' && role === 'affected')
    .map(({ value }) => Number(value));
  const why = facts.filter(({ name }) => name === 'reason').map(({ value }) => value);
  const code = codes.find((one) => one !== 0 && ends.some(({ exitCode = [] }) => exitCode.includes(one)));
  const reason = why.find((one) =>
    ends.some(({ reason: expected = [] }) => (expected as readonly string[]).includes(one)),
  );
  // A scenario that names no reason leaves it open.
  const isOpen = ends.every((end) => end.reason === undefined);
  if (code !== undefined && (reason !== undefined || isOpen || why.length === 0)) {
    factor *= reason === undefined && why.length > 0 ? 1.2 : 1.5;
    reasons.push(`it ends with ${code}${reason === undefined ? '' : ` and ${reason}`}`);
  }
  return { factor, reasons };
}

function toCandidate(
  { variant }: RankedCase,
  { kind, name, title }: Pick<CaseCandidate, 'kind' | 'name' | 'title'>,
  why: string,
  bug: Bug | undefined,
): CaseCandidate {
  const words = wordsOfVariant(variant);
  const overrides = overridesOf(bug, variant);
  const command =
    bug === undefined
      ? ['run', ...words.map(shellWord), `scenario=${name}`]
      : [
          'repro',
          name,
          ...(overrides.length === 0
            ? []
            : ['--affected', ...overrides.map(shellWord), '--fixed', ...overrides.map(shellWord)]),
        ];
  return { kind, name, title, why, command: `npx whodunit ${command.join(' ')}` };
}

/** What is asked of both sides of a bug for a report: the versions, where the bug does not choose by them itself. */
export function overridesOf(bug: Bug | undefined, variant: Variant): string[] {
  if (bug === undefined) return [];
  const words = wordsOfVariant(variant);
  return words.filter((word) => {
    const [axis = ''] = word.split('=');
    return (
      ['kubernetes', 'containerd'].includes(axis) &&
      bug.affected[axis] === undefined &&
      bug.fixed[axis] === undefined
    );
  });
}
