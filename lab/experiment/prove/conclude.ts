import type { How, Killer } from '../../model/killers/killers.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { probabilityHigher, type Tally } from '../../model/rates/rates.ts';
import type { CauseTaken, NamedCause, ProofConclusion } from '../../model/saved/prove.ts';
import { interventionFor } from './intervention-table.ts';

/** How one run ended, where its verdict names somebody: others are not observations. */
export interface SeenEnd {
  readonly killer: Killer;
  readonly how?: How | undefined;
  /** From the start of the cell until the end was seen, in seconds. */
  readonly seconds: number;
}

/** What was seen of a verdict that was put to the test. */
export interface Experiment {
  readonly named: NamedCause;
  readonly cause: CauseTaken;
  /** Killers with which the cell may end by a race, so that another one in a few runs says nothing. */
  readonly accepted: readonly Killer[];
  readonly asItWas: readonly SeenEnd[];
  readonly withoutCause: readonly SeenEnd[];
  readonly innocents: readonly { readonly killer: Killer; readonly ends: readonly SeenEnd[] }[];
}

/** What came out. */
export interface Concluded {
  readonly conclusion: ProofConclusion;
  /** In one sentence, with the reason. */
  readonly says: string;
  /** That it dies so more often with the cause; absent where that was not compared. */
  readonly probability?: number;
  /** Whether more runs may settle what is not settled. */
  readonly isOpen?: boolean;
}

/** Until it is certain that a dead container stays dead; where a restart is awaited, that ends sooner. */
const STAYS_DEAD_SECONDS = TIME_LIMITS.cell.staysDead.ms / 1000;
/** From this probability on, rates differ. Two of two against none of two have it. */
const CONFIDENCE = 0.95;
/** What rounding may take from it. */
const SLACK = 1e-9;

/** Concludes what an experiment says of a verdict. */
export function conclude(experiment: Experiment): Concluded {
  const { named, cause, asItWas } = experiment;
  if (cause.state === 'none')
    return { conclusion: 'no-intervention', says: `nothing takes ${named.killer} away: ${cause.why}` };
  if (asItWas.length === 0) return leftOpen('no run as it was has a verdict');
  const died = asItWas.filter(({ killer }) => killer !== 'none');
  if (died.length === 0) return leftOpen(`as it was, it lived in all ${asItWas.length} runs`);
  const same = countSame(asItWas, named);
  if (same.count === 0) return concludeOther(experiment, died);
  if (cause.state === 'absent')
    return { conclusion: 'no-intervention', says: `nothing takes ${named.killer} away: ${cause.why}` };
  return concludeNamed(experiment, cause.isPartial, same);
}

/** As it was, it died of somebody else: then the death itself has to go away without the named cause. */
function concludeOther(
  { named, cause, accepted, asItWas, withoutCause }: Experiment,
  died: readonly SeenEnd[],
): Concluded {
  const other = mostFrequent(died);
  const odd = died.find((end) => !isSame(end, other));
  if (odd !== undefined)
    return notSettled(
      `as it was, it died of ${other.killer} and of ${odd.killer}, but never of ${named.killer}`,
    );
  const seen = `as it was, it died of ${other.killer} in ${times(countSame(asItWas, other))} and never of ${named.killer}`;
  if (accepted.includes(named.killer)) return leftOpen(`${seen}, and either may happen by a race`);
  const ends = cause.state === 'taken' ? withoutCause : asItWas;
  if (ends.length === 0) return leftOpen(`${seen}; no run without that has a verdict`);
  const still = countSame(ends, other);
  if (!isMoreThanNever(still))
    return leftOpen(`${seen}; without ${named.killer} it died so in ${times(still)}`);
  const how =
    cause.state === 'taken'
      ? `without ${named.killer} it died the same in ${times(still)}`
      : `and nothing had to be taken away: ${cause.why}`;
  return { conclusion: 'refuted', says: `${seen}; ${how}` };
}

/** As it was, it died of the named cause. */
function concludeNamed(experiment: Experiment, isPartial: boolean, same: Tally): Concluded {
  const { named, asItWas, innocents } = experiment;
  const { killer } = named;
  if (experiment.withoutCause.length === 0) return leftOpen(`no run without ${killer} has a verdict`);
  const slowest = Math.max(...asItWas.filter((end) => isSame(end, named)).map(({ seconds }) => seconds));
  // That it lived for less time than it takes to die says nothing.
  const withoutCause = experiment.withoutCause.filter(
    ({ killer: by, seconds }) => by !== 'none' || seconds >= slowest,
  );
  if (withoutCause.length === 0)
    return leftOpen(
      `without ${killer}, it was not watched as long as it took to die as it was (${Math.ceil(slowest)} s)`,
    );
  const without = countSame(withoutCause, named);
  const probability = probabilityHigher(same, without);
  const rates = `it died of ${killer} in ${times(same)} as it was, and in ${times(without)} without it`;
  if (without.count > 0) {
    if (isPartial) return notSettled(`${rates}, and what was taken away only makes it seldomer`, probability);
    if (isMoreThanNever(without) && probability < CONFIDENCE)
      return { conclusion: 'refuted', says: `${rates}: it dies the same although that is gone`, probability };
    return isMoreThanNever(without) ? notSettled(rates, probability) : leftOpen(rates, probability);
  }
  const early = withoutCause.find(
    ({ killer: by, seconds }) => by !== 'none' && seconds <= slowest + STAYS_DEAD_SECONDS,
  );
  if (early !== undefined)
    return notSettled(`${rates}; but without it, it died as soon of ${early.killer}`, probability);
  if (probability < CONFIDENCE - SLACK)
    return leftOpen(`${rates}: more runs are needed to tell these apart`, probability);
  if (innocents.length === 0)
    return notSettled(`${rates}; no innocent could be taken away beside it`, probability);
  for (const { killer: innocent, ends } of innocents) {
    const spared = countSame(ends, named);
    if (spared.of === 0) return leftOpen(`${rates}; no run without ${innocent} has a verdict`, probability);
    if (probabilityHigher(spared, without) < CONFIDENCE - SLACK)
      return leftOpen(
        `${rates}; but also without ${innocent} it died so only in ${times(spared)}`,
        probability,
      );
  }
  return {
    conclusion: 'confirmed',
    says: `${rates}; ${describeInnocents(experiment)}${describeLater(withoutCause)}`,
    probability,
  };
}

function describeInnocents({ named, innocents }: Experiment): string {
  return innocents
    .map(({ killer, ends }) => `without ${killer}, an innocent, in ${times(countSame(ends, named))}`)
    .join('; ');
}

/** That it died later of something else is not a death of the named cause, but it is said. */
function describeLater(withoutCause: readonly SeenEnd[]): string {
  const later = withoutCause.filter(({ killer }) => killer !== 'none');
  if (later.length === 0) return '';
  const tally = { count: later.length, of: withoutCause.length };
  return `; without it, it died later of ${mostFrequent(later).killer} in ${times(tally)}`;
}

/** Whether two ends have the same cause: the same killer, and a way that is taken away by the same thing. */
function isSame(one: NamedCause | SeenEnd, other: NamedCause | SeenEnd): boolean {
  if (one.killer !== other.killer) return false;
  return (
    one.how === undefined ||
    other.how === undefined ||
    interventionFor(one.killer, one.how) === interventionFor(other.killer, other.how)
  );
}

function countSame(ends: readonly SeenEnd[], as: NamedCause | SeenEnd): Tally {
  return { count: ends.filter((end) => isSame(end, as)).length, of: ends.length };
}

function isMoreThanNever(tally: Tally): boolean {
  return probabilityHigher(tally, { count: 0, of: tally.of }) >= CONFIDENCE - SLACK;
}

function mostFrequent(ends: readonly SeenEnd[]): SeenEnd {
  const [first] = ends.toSorted((one, other) => countSame(ends, other).count - countSame(ends, one).count);
  if (first === undefined) throw new RangeError('there is no end');
  return first;
}

function notSettled(says: string, probability?: number): Concluded {
  return { conclusion: 'not-settled', says, ...(probability === undefined ? {} : { probability }) };
}

function leftOpen(says: string, probability?: number): Concluded {
  return { ...notSettled(says, probability), isOpen: true };
}

function times({ count, of }: Tally): string {
  return `${count} of ${of}`;
}
