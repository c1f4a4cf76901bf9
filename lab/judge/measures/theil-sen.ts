/**
 * The median of the slopes between any two of n points, without looking at all n²/2 of them.
 *
 * A line through each point turns the question into one of order: between two slopes are as many pairs as there are
 * inversions between the orders in which the lines cross those two (R. Cole et al., SIAM J. Comput. 18, 1989, p. 792).
 * Some slopes from between the two say where the wanted one is; the rest is left out until few are left, which are sorted
 * (J. Matoušek, Inf. Process. Lett. 39, 1991, p. 183). Each step is n log n, and there are few.
 */

/** A number and when it was measured, milliseconds since the epoch. */
export interface Dated {
  readonly at: number;
  readonly value: number;
}

const MINUTE_MS = 60_000;
/** So many slopes are sorted at once. All cells of up to 2,000 samples have fewer. */
const SORTED_AT_ONCE = 2_000_000;
/** Slopes that are looked at to leave out the rest, and how far from the expected place the wanted one may be in them. */
const LOOKED_AT = 2_000;
const FAR = 100;

/** Points by time, those of one time by value. */
interface Points {
  /** Milliseconds since the epoch. */
  readonly at: Float64Array;
  /** Minutes from the first, in which lines are followed: small numbers keep more digits. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** An end of the slopes that are left: those below `slope`, with it or without it, are on one side. */
interface Bound {
  readonly slope: number;
  readonly isWith: boolean;
}

/** Slopes between two bounds, as the pairs that are inverted between the orders at both. */
interface Between {
  /** Points in the order at the lower bound. */
  readonly order: Int32Array;
  /** For each of them its place in the order at the upper bound. */
  readonly places: Int32Array;
  readonly count: number;
}

/**
 * The median of the slopes per minute between any two points at different times; of an even count the mean of the two
 * middle ones. Undefined of fewer than two times.
 *
 * @param sortedAtOnce so many slopes are sorted at once.
 */
export function medianSlope(dated: readonly Dated[], sortedAtOnce = SORTED_AT_ONCE): number | undefined {
  const points = toPoints(dated);
  const { length } = dated;
  if ((length * (length - 1)) / 2 <= sortedAtOnce) return middleOf(allSlopes(points));
  const all = between(points, { slope: -Infinity, isWith: false }, { slope: Infinity, isWith: true });
  if (all.count === 0) return undefined;
  const lower = Math.floor((all.count - 1) / 2);
  const upper = Math.floor(all.count / 2);
  const { slope: low, next } = select(points, all, lower, sortedAtOnce);
  if (upper === lower) return low;
  return (low + (next ?? select(points, all, upper, sortedAtOnce).slope)) / 2;
}

function toPoints(dated: readonly Dated[]): Points {
  const sorted = dated.toSorted((one, other) => one.at - other.at || one.value - other.value);
  const from = sorted[0]?.at ?? 0;
  const at = new Float64Array(sorted.map((point) => point.at));
  return {
    at,
    x: at.map((time) => (time - from) / MINUTE_MS),
    y: new Float64Array(sorted.map(({ value }) => value)),
  };
}

/** The slope of each two points at different times, sorted: where they are few, that takes less than leaving any out. */
function allSlopes({ at, y }: Points): Float64Array {
  const slopes = new Float64Array((at.length * (at.length - 1)) / 2);
  let count = 0;
  for (let one = 0; one < at.length; one += 1)
    for (let other = one + 1; other < at.length; other += 1)
      if (at[one] !== at[other])
        slopes[count++] = (y[other]! - y[one]!) / ((at[other]! - at[one]!) / MINUTE_MS);
  return slopes.subarray(0, count).sort();
}

function middleOf(sorted: Float64Array): number | undefined {
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  if (lower === undefined || upper === undefined) return undefined;
  return sorted.length % 2 === 1 ? lower : (lower + upper) / 2;
}

/** A slope, and the one after it where that was among the last ones too. */
interface Selected {
  readonly slope: number;
  readonly next?: number | undefined;
}

/** The slope of the given rank, counted from 0. */
function select(points: Points, all: Between, rank: number, sortedAtOnce: number): Selected {
  let low: Bound = { slope: -Infinity, isWith: false };
  let high: Bound = { slope: Infinity, isWith: true };
  let left = all;
  let wanted = rank;
  let far = FAR;
  const random = createRandom();
  while (left.count > sortedAtOnce) {
    const some = slopesOf(points, left, chooseRanks(left.count, random));
    const place = Math.min(some.length - 1, Math.floor((wanted / left.count) * some.length));
    const from: Bound = { slope: some[Math.max(0, place - far)] ?? NaN, isWith: false };
    const to: Bound = { slope: some[Math.min(some.length - 1, place + far)] ?? NaN, isWith: true };
    const before = left.count;
    const below = between(points, low, from);
    if (wanted < below.count) {
      high = from;
      left = below;
    } else {
      wanted -= below.count;
      left = between(points, from, to);
      if (wanted < left.count) {
        // All of these are equal, however many they are.
        if (from.slope === to.slope) return { slope: from.slope };
        low = from;
        high = to;
      } else {
        wanted -= left.count;
        low = to;
        left = between(points, low, high);
      }
    }
    // What one slope does not divide differs by rounding only.
    if (far === 0 && (left.count >= before || wanted >= left.count)) return { slope: from.slope };
    far = left.count > before / 2 ? 0 : FAR;
  }
  const slopes = slopesOf(points, left);
  return { slope: slopes[wanted] ?? NaN, next: slopes[wanted + 1] };
}

/** The points in the order in which their lines cross a slope: who is behind whom has changed for each pair below it. */
function orderAt({ x, y }: Points, { slope, isWith }: Bound): Int32Array {
  const order = Int32Array.from(x, (_, index) => index);
  if (slope === -Infinity) return order;
  const keys =
    slope === Infinity ? x.map((minutes) => -minutes) : y.map((value, index) => value - slope * x[index]!);
  return order.sort((one, other) => {
    const difference = keys[one]! - keys[other]!;
    if (difference !== 0) return difference;
    return isWith && x[one] !== x[other] ? other - one : one - other;
  });
}

function between(points: Points, low: Bound, high: Bound): Between {
  const order = orderAt(points, low);
  const placeOf = new Int32Array(order.length);
  for (const [place, index] of orderAt(points, high).entries()) placeOf[index] = place;
  const places = order.map((index) => placeOf[index]!);
  let count = 0;
  forInversions(places, (_, left) => {
    count += left.length;
  });
  return { order, places, count };
}

/**
 * The slopes of inverted pairs, sorted.
 *
 * @param ranks which of them, sorted; all without it.
 */
function slopesOf({ at, y }: Points, { order, places, count }: Between, ranks?: Float64Array): Float64Array {
  const pointAt = new Int32Array(order.length);
  for (const [index, place] of places.entries()) pointAt[place] = order[index]!;
  const slopes = new Float64Array(ranks?.length ?? count);
  let taken = 0;
  const take = (one: number, other: number): void => {
    const [a, b] = [pointAt[one]!, pointAt[other]!];
    slopes[taken++] = (y[b]! - y[a]!) / ((at[b]! - at[a]!) / MINUTE_MS);
  };
  let seen = 0;
  forInversions(places, (right, left) => {
    if (ranks === undefined) for (const one of left) take(one, right);
    else
      while (taken < ranks.length && ranks[taken]! < seen + left.length)
        take(left[ranks[taken]! - seen]!, right);
    seen += left.length;
  });
  return slopes.sort();
}

/** Calls back for each number with the larger ones before it, in a merge sort: n log n calls, each with one slice. */
function forInversions(numbers: Int32Array, found: (right: number, left: Int32Array) => void): void {
  let from = Int32Array.from(numbers);
  let to = new Int32Array(numbers.length);
  for (let width = 1; width < numbers.length; width *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * width) merge(from, to, start, width, found);
    [from, to] = [to, from];
  }
}

function merge(
  from: Int32Array,
  to: Int32Array,
  start: number,
  width: number,
  found: (right: number, left: Int32Array) => void,
): void {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    if (left < middle && (right >= end || from[left]! < from[right]!)) to[at] = from[left++]!;
    else {
      if (left < middle) found(from[right]!, from.subarray(left, middle));
      to[at] = from[right++]!;
    }
  }
}

function chooseRanks(count: number, random: () => number): Float64Array {
  return Float64Array.from({ length: LOOKED_AT }, () => Math.floor(random() * count)).sort();
}

/** The same numbers in every process, so that a verdict is the same each time (D. H. Lehmer's generator, MINSTD). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
