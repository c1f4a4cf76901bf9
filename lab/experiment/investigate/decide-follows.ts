import type { Follows, LegKind } from '../../model/saved/investigate.ts';

/** Runs of a failed cell in one of the ways in which it was run again; those without a verdict do not count. */
export interface SeenLeg {
  readonly passed: number;
  readonly failed: number;
}

/** What such runs say. */
type LegState = 'passes' | 'passed-once' | 'fails' | 'varies' | 'unseen';

/** What a failure follows; absent: that is not settled. */
export interface DecidedFollows {
  readonly follows?: Follows;
  readonly says: string;
}

/** It failed, and failed again: two of two. Passing two of two is then another rate with a probability of 0.95, one is not. */
const FEWEST_PASSES = 2;

/**
 * Says what the failure of a cell follows.
 *
 * A change is named only where the failure was seen again without it, and everything else was the same. The programs of the
 * last good run are in another world: they are named only if a fresh world does not help. What nobody observed, or was left
 * out, says nothing.
 *
 * @param fewestPasses so many runs have to pass before a way counts as good; 1 for a scenario that is repeated by itself.
 */
export function decideFollows(
  legs: Readonly<Record<LegKind, SeenLeg>>,
  fewestPasses = FEWEST_PASSES,
): DecidedFollows {
  const [alone, world, versions, scenario] = (['alone', 'world', 'versions', 'scenario'] as const).map(
    (kind) => readState(legs[kind], fewestPasses),
  );
  if (alone === 'passes' || alone === 'passed-once' || alone === 'varies')
    return follow('chance', `by itself it passed in ${times(legs.alone)}, with nothing changed`);
  if (world === 'varies')
    return follow(
      'chance',
      `in a freshly built world it passed in ${times(legs.world)}, with nothing else changed`,
    );
  if (alone !== 'fails' && world !== 'fails')
    return { says: 'not settled: the failure was not seen again, so nothing is known to turn it' };
  const seen = alone === 'fails' ? 'by itself it fails again' : 'in a freshly built world it fails again';
  if (alone === 'fails' && world === 'passes')
    return scenario === 'passes'
      ? {
          says: `not settled: ${seen}; it passes in a freshly built world, and with the last good scenario too`,
        }
      : follow('world', `${seen}, in a freshly built world it passed in ${times(legs.world)}`);
  const [withVersions, withScenario] = [versions === 'passes', scenario === 'passes'];
  if (withVersions && withScenario)
    return {
      says: `not settled: ${seen}; it passes with the last good programs, and with the last good scenario too`,
    };
  if (withScenario && alone === 'fails')
    return follow('scenario', `${seen}, with the last good scenario it passed in ${times(legs.scenario)}`);
  if (withVersions && world === 'fails')
    return follow(
      'versions',
      `${seen}, in a freshly built world too; with the last good programs it passed in ${times(legs.versions)}`,
    );
  if (withVersions)
    return {
      says: `not settled: ${seen}; it passes with the last good programs, which are in another world`,
    };
  if (withScenario)
    return {
      says: `not settled: it passes with the last good scenario, but nobody saw it fail in that world`,
    };
  return { says: `not settled: ${seen}; ${describeRest({ world, versions, scenario })}` };
}

function readState({ passed, failed }: SeenLeg, fewestPasses: number): LegState {
  if (passed > 0 && failed > 0) return 'varies';
  if (failed > 0) return 'fails';
  if (passed >= fewestPasses) return 'passes';
  return passed > 0 ? 'passed-once' : 'unseen';
}

const WAYS = {
  world: 'in a freshly built world',
  versions: 'with the last good programs',
  scenario: 'with the last good scenario',
} as const;

/** What each of the other ways came to, where none of them turned it. */
function describeRest(states: Readonly<Record<keyof typeof WAYS, LegState | undefined>>): string {
  const ways = Object.entries(WAYS) as [keyof typeof WAYS, string][];
  const of = (...wanted: (LegState | undefined)[]): string[] =>
    ways.flatMap(([kind, text]) => (wanted.includes(states[kind]) ? [text] : []));
  const parts: [string, string[]][] = [
    ['it fails', of('fails')],
    ['it passes and fails', of('varies')],
    ['it passed once', of('passed-once')],
    ['it was not observed', of('unseen')],
  ];
  return parts
    .filter(([, found]) => found.length > 0)
    .map(([what, found]) => `${what} ${found.join(' and ')}`)
    .join('; ');
}

function follow(follows: Follows, why: string): DecidedFollows {
  return {
    follows,
    says: `it follows ${follows === 'world' ? 'the world' : follows === 'chance' ? 'chance' : `the ${follows}`}: ${why}`,
  };
}

function times({ passed, failed }: SeenLeg): string {
  return `${passed} of ${passed + failed}`;
}
