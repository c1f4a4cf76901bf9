/**
 * How often the gate calls a cell changed whose rates are the same on both sides: `npm run bench gate`. Nothing is started.
 */
import {
  decideChange,
  MOST_TRIALS,
  type DecidedChange,
  type Counted,
} from '../../../lab/gate/compare/decide-change.ts';
import { createRandom } from '../../../test/random.ts';

type Print = (line: string) => void;

const BASES = [1, 2, 3, 5, 7, 10, 20];
const RATES = Array.from({ length: 50 }, (_, index) => (index + 1) / 100);
const SIMULATED = 2_000;

/** When the gate looks at a cell again. */
export type LookAgain = 'when-new' | 'always';

/** A cell that ends in one of two ways, one of them so many times. */
function countedOf(count: number, of: number): Counted {
  const deaths = [
    { killer: 'memcg-oom' as const, reason: 'Error', count },
    { killer: 'memcg-oom' as const, reason: 'OOMKilled', count: of - count },
  ];
  return { of, deaths: deaths.filter((death) => death.count > 0) };
}

const states = new Map<string, DecidedChange['state']>();

function stateOf(before: number, base: number, now: number, head: number): DecidedChange['state'] {
  const key = [before, base, now, head].join(' ');
  const known = states.get(key) ?? decideChange(countedOf(before, base), countedOf(now, head)).state;
  states.set(key, known);
  return known;
}

/**
 * The share of unchanged cells that are called changed, exactly.
 *
 * @param rate of one of two deaths, on both sides.
 * @param base trials of the baseline.
 * @param again whether a cell is looked at again only while it is open, or until the most trials whatever is seen.
 */
export function falseAlarmShare(rate: number, base: number, again: LookAgain): number {
  let share = 0;
  for (let before = 0; before <= base; before += 1) {
    let alive = new Map([[0, binomial(base, before, rate)]]);
    for (let head = 1; head <= MOST_TRIALS; head += 1) {
      const next = new Map<number, number>();
      for (const [now, weight] of alive) {
        next.set(now, (next.get(now) ?? 0) + weight * (1 - rate));
        next.set(now + 1, (next.get(now + 1) ?? 0) + weight * rate);
      }
      alive = new Map();
      for (const [now, weight] of next) {
        const state = stateOf(before, base, now, head);
        if (state === 'changed') share += weight;
        else if (state === 'open' || again === 'always') alive.set(now, weight);
      }
    }
  }
  return share;
}

function binomial(of: number, count: number, rate: number): number {
  let chance = 1;
  for (let index = 0; index < count; index += 1) chance *= ((of - index) / (index + 1)) * rate;
  return chance * (1 - rate) ** (of - count);
}

/** The same share of drawn cells. */
export function simulateAlarms(rate: number, base: number, again: LookAgain, random: () => number): number {
  const draw = (trials: number): number =>
    Array.from({ length: trials }, random).filter((drawn) => drawn < rate).length;
  let alarms = 0;
  for (let cell = 0; cell < SIMULATED; cell += 1) {
    const before = draw(base);
    let now = 0;
    for (let head = 1; head <= MOST_TRIALS; head += 1) {
      now += draw(1);
      const state = stateOf(before, base, now, head);
      if (state === 'changed') alarms += 1;
      if (state === 'changed' || (state !== 'open' && again === 'when-new')) break;
    }
  }
  return alarms / SIMULATED;
}

/** Prints the share of false alarms at the rate at which there are most of them. */
export function benchmarkGate(print: Print): void {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  for (const again of ['when-new', 'always'] as const) {
    for (const base of BASES) {
      const worst = RATES.map((rate) => ({ rate, share: falseAlarmShare(rate, base, again) })).reduce(
        (most, one) => (one.share > most.share ? one : most),
      );
      const drawn = simulateAlarms(worst.rate, base, again, createRandom(base));
      print(
        `  looks again ${again}, base of ${base}: at most ${percent(worst.share)} false alarms (rate ${worst.rate}; simulated ${percent(drawn)} of ${SIMULATED})`,
      );
    }
  }
}
