import { describe, expect, it } from 'vitest';
import { decideFollows, type SeenLeg } from '../../../../lab/experiment/investigate/decide-follows.ts';
import type { Follows, LegKind } from '../../../../lab/model/saved/investigate.ts';
import { probabilityHigher } from '../../../../lab/model/rates/rates.ts';

/** Two runs of a leg: a void or inconclusive one is neither. */
const SEEN = {
  passes: { passed: 2, failed: 0 },
  fails: { passed: 0, failed: 2 },
  varies: { passed: 1, failed: 1 },
  'passed once, then void': { passed: 1, failed: 0 },
  'failed once, then void': { passed: 0, failed: 1 },
  void: { passed: 0, failed: 0 },
} as const satisfies Record<string, SeenLeg>;
type Seen = keyof typeof SEEN;
const NAMES = Object.keys(SEEN) as Seen[];
const decide = (alone: Seen, world: Seen, versions: Seen, scenario: Seen): Follows | undefined =>
  decideFollows({
    alone: SEEN[alone],
    world: SEEN[world],
    versions: SEEN[versions],
    scenario: SEEN[scenario],
  }).follows;

describe('what a failure follows', () => {
  it.each<[Seen, Seen, Seen, Seen, Follows | undefined]>([
    // alone, fresh world, last good programs, last good scenario
    ['passes', 'passes', 'passes', 'passes', 'chance'],
    ['varies', 'fails', 'fails', 'fails', 'chance'],
    ['passed once, then void', 'fails', 'fails', 'passes', 'chance'],
    ['fails', 'varies', 'fails', 'fails', 'chance'],
    ['fails', 'passes', 'fails', 'fails', 'world'],
    ['fails', 'passes', 'void', 'void', 'world'],
    // The last good programs are in another world, so that a fresh one explains them.
    ['fails', 'passes', 'passes', 'fails', 'world'],
    ['fails', 'passes', 'fails', 'passes', undefined],
    ['fails', 'fails', 'passes', 'fails', 'versions'],
    ['fails', 'fails', 'passes', 'void', 'versions'],
    ['void', 'fails', 'passes', 'fails', 'versions'],
    ['fails', 'void', 'passes', 'fails', undefined],
    ['fails', 'fails', 'fails', 'passes', 'scenario'],
    ['fails', 'void', 'void', 'passes', 'scenario'],
    ['void', 'fails', 'fails', 'passes', undefined],
    ['fails', 'fails', 'passes', 'passes', undefined],
    ['fails', 'fails', 'fails', 'fails', undefined],
    ['void', 'void', 'passes', 'passes', undefined],
    ['void', 'passes', 'passes', 'passes', undefined],
    ['void', 'void', 'void', 'void', undefined],
    // One run that passes is too little against two that fail.
    ['fails', 'passed once, then void', 'void', 'void', undefined],
    ['fails', 'fails', 'passed once, then void', 'fails', undefined],
    ['fails', 'fails', 'fails', 'passed once, then void', undefined],
  ])(
    'alone: %s, fresh world: %s, last programs: %s, last scenario: %s',
    (alone, world, versions, scenario, follows) => {
      expect(decide(alone, world, versions, scenario)).toBe(follows);
    },
  );

  it('holds in all combinations: what is named was seen to turn it, and nothing else explains that', () => {
    let settled = 0;
    for (const alone of NAMES)
      for (const world of NAMES)
        for (const versions of NAMES)
          for (const scenario of NAMES) {
            const legs = {
              alone: SEEN[alone],
              world: SEEN[world],
              versions: SEEN[versions],
              scenario: SEEN[scenario],
            };
            const { follows, says } = decideFollows(legs);
            expect(says).toMatch(follows === undefined ? /^not settled: / : /^it follows /);
            if (follows === undefined) continue;
            settled += 1;
            if (follows === 'chance') {
              expect(legs.alone.passed + (legs.world.failed > 0 ? legs.world.passed : 0)).toBeGreaterThan(0);
              continue;
            }
            // It failed once, and again with nothing changed.
            const baseline = 1 + Math.max(legs.alone.failed, legs.world.failed);
            const turned = legs[follows];
            expect([legs.alone.passed, turned.failed]).toEqual([0, 0]);
            expect(
              probabilityHigher({ count: baseline, of: baseline }, { count: 0, of: turned.passed }),
            ).toBeGreaterThanOrEqual(0.95 - 1e-9);
            const others = (['versions', 'scenario'] as const).filter((kind) => kind !== follows);
            for (const other of others)
              if (other === 'scenario' || follows !== 'world')
                expect(legs[other].passed < 2 || legs[other].failed > 0).toBe(true);
            if (follows === 'versions') expect(legs.world.failed).toBeGreaterThan(0);
          }
    expect(settled).toBeGreaterThan(0);
  });

  it('is not changed by what is void: taking an observation away names nothing else', () => {
    const kinds: readonly LegKind[] = ['world', 'versions', 'scenario'];
    for (const alone of NAMES)
      for (const world of NAMES)
        for (const versions of NAMES)
          for (const scenario of NAMES) {
            const legs = {
              alone: SEEN[alone],
              world: SEEN[world],
              versions: SEEN[versions],
              scenario: SEEN[scenario],
            };
            const whole = decideFollows(legs).follows;
            if (whole === undefined || whole === 'chance') continue;
            for (const kind of kinds) {
              const less = decideFollows({ ...legs, [kind]: SEEN.void }).follows;
              if (kind === whole || less === undefined) continue;
              expect(less).toBe(whole);
            }
          }
  });

  it('takes the verdict of a scenario that is repeated by itself for what it is', () => {
    const once = { passed: 1, failed: 0 };
    const never = { passed: 0, failed: 1 };
    expect(decideFollows({ alone: never, world: once, versions: never, scenario: never }, 1).follows).toBe(
      'world',
    );
  });
});
