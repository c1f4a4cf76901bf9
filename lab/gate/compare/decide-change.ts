import { probabilityHigher, type Tally } from '../../model/rates/rates.ts';
import type { GatedDeath, GatedCell, SeenDeath } from '../../model/saved/gate.ts';
import { keyOfDeath } from './read-death.ts';

/**
 * When the rates of a death differ. One look at 0.95 would be right 95 times of 100; the gate looks after each repetition,
 * at more than one death, and at both directions. At 0.95 it would be wrong in up to 22 of 100 cells that end now so, now
 * so; at 0.99 it is in less than 5, whatever their rate is (decision 38, `npm run bench gate`).
 */
export const RULE = {
  confidence: 0.99,
  /** Trials with the change, however many the baseline has: a rare death may be seen in any one of them. */
  least: 3,
} as const;

/** Trials with the change after which the gate gives up. */
export const MOST_TRIALS = 10;

/** A cell whose deaths are counted. */
export interface Counted {
  readonly of: number;
  readonly deaths: readonly (GatedDeath & { readonly count: number })[];
}

/** What two counts of deaths come to. */
export interface DecidedChange {
  readonly state: 'same' | 'changed' | 'flaky' | 'open';
  /** Of the death whose rate differs most. */
  readonly confidence: number;
  /** The death that is more frequent now than before, and the one that is less frequent. */
  readonly gained: GatedDeath;
  readonly lost: GatedDeath;
}

/**
 * Compares how often a cell ended in which way.
 *
 * - changed: the rate of a death differs.
 * - open: with the change it ended in a way that was not seen before, and the rates may yet be the same.
 * - flaky: it ends in several ways, all of them seen before, about as often as before.
 *
 * @param base before, and `head` with the change: both with at least one trial.
 */
export function decideChange(base: Counted, head: Counted): DecidedChange {
  const keys = new Map([...base.deaths, ...head.deaths].map((death) => [keyOfDeath(death), death]));
  const rates = [...keys].map(([key, death]) => {
    const [before, now] = [tallyOf(base, key), tallyOf(head, key)];
    return {
      death,
      rise: now.count / now.of - before.count / before.of,
      confidence: confidenceOf(before, now),
    };
  });
  const byRise = rates.toSorted((one, other) => other.rise - one.rise);
  const [gained, lost] = [byRise[0]!, byRise.at(-1)!];
  const confidence = Math.max(...rates.map((rate) => rate.confidence));
  const answer = { confidence, gained: gained.death, lost: lost.death };
  if (confidence >= RULE.confidence && head.of >= RULE.least) return { state: 'changed', ...answer };
  const known = new Set(base.deaths.map(keyOfDeath));
  if (head.deaths.some((death) => !known.has(keyOfDeath(death)))) return { state: 'open', ...answer };
  return { state: keys.size === 1 ? 'same' : 'flaky', ...answer };
}

/** How probable it is that two rates differ in the direction in which they were seen to; 0 where they were seen equal. */
function confidenceOf(before: Tally, now: Tally): number {
  const rise = now.count * before.of - before.count * now.of;
  if (rise === 0) return 0;
  return rise > 0 ? probabilityHigher(now, before) : probabilityHigher(before, now);
}

/** How often a death with this key was seen. */
export function tallyOf({ of, deaths }: Counted, key: string): Tally {
  return { count: deaths.find((death) => keyOfDeath(death) === key)?.count ?? 0, of };
}

/** Trials with the change after which a death would be changed that all of them show and none of the baseline; undefined: never. */
export function countTrialsNeeded({ of }: Pick<GatedCell, 'of'>): number | undefined {
  for (let trials: number = RULE.least; trials <= MOST_TRIALS; trials += 1) {
    if (probabilityHigher({ count: trials, of: trials }, { count: 0, of }) >= RULE.confidence) return trials;
  }
  return undefined;
}

/** What layers say of the most frequent death of each side, where one was right and is wrong now, or the other way round. */
export function listOtherClaims(base: SeenDeath | undefined, head: SeenDeath | undefined): string[] {
  if (base === undefined || head === undefined) return [];
  return head.claims.flatMap((claim) => {
    const was = base.claims.find(({ layer }) => layer === claim.layer);
    if (was === undefined || was.agrees === claim.agrees) return [];
    return [`${claim.layer} said "${was.says}", and now "${claim.says}"`];
  });
}
