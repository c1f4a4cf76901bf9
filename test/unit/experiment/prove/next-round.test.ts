import { describe, expect, it } from 'vitest';
import { conclude, type Concluded, type SeenEnd } from '../../../../lab/experiment/prove/conclude.ts';
import { fitRuns, MOST_RUNS, planNextRound } from '../../../../lab/experiment/prove/next-round.ts';

const DIES: SeenEnd = { killer: 'memcg-oom', how: 'group-kill', seconds: 10 };
const LIVES: SeenEnd = { killer: 'none', seconds: 30 };
const USUAL = 3;
/** Of a run of one cell; a world costs as much as ten. */
const RUN_SECONDS = 30;
const WORLD_SECONDS = 300;
const secondsOf = (runs: number): number => WORLD_SECONDS + 3 * runs * RUN_SECONDS;

/** The same numbers in each test: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How often a container dies: as it was, without the cause, without the innocent; and how often a run is void. */
interface Lab {
  readonly rates: readonly [number, number, number];
  readonly void?: number;
}

interface Experimented extends Concluded {
  /** Runs of each cell. */
  readonly runs: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** Puts a verdict to the test in a simulated lab, where a container dies in a share of the runs. */
function experiment(lab: Lab, seed: number, budget = Infinity): Experimented {
  const random = createRandom(seed);
  const arms = lab.rates.map((rate) => ({ rate, ends: [] as SeenEnd[], undecided: 0 }));
  let [runs, rounds, seconds] = [0, 0, 0];
  let next = fitRuns(USUAL, { least: 2, seconds: budget, secondsOf });
  for (;;) {
    for (const arm of arms)
      for (let run = 0; run < next; run++)
        if (random() < (lab.void ?? 0)) arm.undecided += 1;
        else arm.ends.push(random() < arm.rate ? DIES : LIVES);
    runs += next;
    rounds += 1;
    seconds += secondsOf(next);
    const [asItWas = [], withoutCause = [], spared = []] = arms.map(({ ends }) => ends);
    const concluded = conclude({
      named: { killer: 'memcg-oom', how: 'group-kill' },
      cause: { state: 'taken', isPartial: false },
      accepted: ['memcg-oom'],
      asItWas,
      withoutCause,
      innocents: [{ killer: 'seccomp', ends: spared }],
    });
    next = planNextRound({
      isOpen: concluded.isOpen === true,
      arms: arms.map(({ ends, undecided }) => ({ of: ends.length, undecided })),
      repeat: USUAL,
      leftSeconds: budget - seconds,
      secondsOf,
    });
    if (next === 0) return { ...concluded, runs, rounds, seconds };
  }
}

const TRIALS = 400;
const many = (lab: Lab, budget?: number): Experimented[] =>
  Array.from({ length: TRIALS }, (_, seed) => experiment(lab, seed + 1, budget));
const share = (all: readonly Experimented[], conclusion: string): number =>
  all.filter((one) => one.conclusion === conclusion).length / all.length;

describe('rounds of an experiment in a simulated lab', () => {
  it('settles a death that always happens in the first round', () => {
    for (const { conclusion, rounds } of many({ rates: [1, 0, 1] }))
      expect([conclusion, rounds]).toEqual(['confirmed', 1]);
  });

  it.each<[number, number]>([
    [0.8, 0.95],
    [0.5, 0.95],
    [0.3, 0.7],
  ])(
    'confirms the right cause of a death that happens in %d of the runs, which one round does not',
    (rate, least) => {
      const all = many({ rates: [rate, 0, rate] });
      expect(share(all, 'confirmed')).toBeGreaterThanOrEqual(least);
      expect(share(all, 'refuted')).toBe(0);
      const first = all.filter(({ conclusion, rounds }) => conclusion === 'confirmed' && rounds === 1);
      expect(first.length / TRIALS).toBeLessThan(share(all, 'confirmed'));
      // What was not settled ran out of runs, and not of patience.
      for (const { conclusion, runs } of all) if (conclusion === 'not-settled') expect(runs).toBe(MOST_RUNS);
    },
  );

  it.each([1, 0.8, 0.5, 0.2])(
    'confirms an innocent in at most one of twenty experiments, where it dies in a share of %d',
    (rate) => {
      expect(share(many({ rates: [rate, rate, rate] }), 'confirmed')).toBeLessThanOrEqual(0.05);
    },
  );

  it('ends with the budget, never above it, and settles less', () => {
    const lab: Lab = { rates: [0.5, 0, 0.5] };
    const budget = 2 * secondsOf(USUAL) + secondsOf(1);
    const short = many(lab, budget);
    for (const { seconds } of short) expect(seconds).toBeLessThanOrEqual(budget);
    expect(short.some(({ runs }) => runs === 2 * USUAL + 1)).toBe(true);
    expect(share(short, 'confirmed')).toBeLessThan(share(many(lab), 'confirmed'));
  });

  it('goes on where some runs are void, and stops where all are', () => {
    expect(share(many({ rates: [1, 0, 1], void: 0.3 }), 'confirmed')).toBeGreaterThanOrEqual(0.95);
    for (const { conclusion, rounds } of many({ rates: [1, 0, 1], void: 1 }))
      expect([conclusion, rounds]).toEqual(['not-settled', 2]);
  });
});
