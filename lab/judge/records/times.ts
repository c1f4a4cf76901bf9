/**
 * Comparisons of times that may be unknown, in milliseconds since the epoch, and of the spans between them. Each call says for
 * whom silence counts.
 */

/** A time, or a span of time; undefined where nobody knows it. */
export type Time = number | undefined;

/** Whether a comparison holds with a time that nobody knows. */
export interface Silence {
  /** When the first one is unknown, whatever the other one is. */
  readonly unknown: 'counts' | 'does not';
  /** When only the one that it is compared with is unknown; default: as `unknown`. */
  readonly unknownLimit?: 'counts' | 'does not';
}

/** Whether a time is no later than another. */
export function isAtMost(at: Time, limit: Time, silence: Silence): boolean {
  return at === undefined || limit === undefined ? isCounted(at, silence) : at <= limit;
}

/** Whether a time is no earlier than another. */
export function isAtLeast(at: Time, limit: Time, silence: Silence): boolean {
  return at === undefined || limit === undefined ? isCounted(at, silence) : at >= limit;
}

/** Whether a time is earlier than another. */
export function isBefore(at: Time, limit: Time, silence: Silence): boolean {
  return at === undefined || limit === undefined ? isCounted(at, silence) : at < limit;
}

/** Whether a time is later than another. */
export function isAfter(at: Time, limit: Time, silence: Silence): boolean {
  return at === undefined || limit === undefined ? isCounted(at, silence) : at > limit;
}

/** Whether a time is between two others, or is one of them. */
export function isWithin(at: Time, from: Time, to: Time, silence: Silence): boolean {
  return isAtLeast(at, from, silence) && isAtMost(at, to, silence);
}

/** Whether two times are at most so far apart. */
export function isNear(at: Time, other: Time, ms: number, silence: Silence): boolean {
  return at === undefined || other === undefined ? isCounted(at, silence) : Math.abs(at - other) <= ms;
}

/** A time moved by so many milliseconds; what is unknown stays unknown. */
export function shift(at: Time, ms: number): Time {
  return at === undefined ? undefined : at + ms;
}

/** How long after `from` a time is: negative when it is before; undefined when one of them is unknown. */
export function spanMs(from: Time, to: Time): Time {
  return from === undefined || to === undefined ? undefined : to - from;
}

/** The first of those that are known; undefined when none is. */
export function earliest(times: readonly Time[]): Time {
  return times.reduce((best, at) => (isBefore(at, best, UNKNOWN_LAST) ? at : best), undefined);
}

/** The last of those that are known; undefined when none is. */
export function latest(times: readonly Time[]): Time {
  return times.reduce((best, at) => (isAfter(at, best, UNKNOWN_LAST) ? at : best), undefined);
}

/** Puts times in order, and those that nobody knows before or after all others. */
export function compareTimes(a: Time, b: Time, { unknown }: { readonly unknown: 'first' | 'last' }): number {
  if (a !== undefined && b !== undefined) return a - b;
  if (a === b) return 0;
  return (a === undefined) === (unknown === 'first') ? -1 : 1;
}

/** Any known time is better than none. */
const UNKNOWN_LAST: Silence = { unknown: 'does not', unknownLimit: 'counts' };

/** Whether a comparison holds where one of its times is unknown: the first one, or else the other. */
function isCounted(at: Time, { unknown, unknownLimit = unknown }: Silence): boolean {
  return (at === undefined ? unknown : unknownLimit) === 'counts';
}
