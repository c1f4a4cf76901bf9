/**
 * The largest of some numbers, however many: `Math.max(...values)` overflows the stack from about 100,000 on.
 *
 * @param least what it is at least, and of none.
 */
export function largest(values: Iterable<number>, least = -Infinity): number {
  let most = least;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/**
 * The smallest of some numbers, however many.
 *
 * @param most what it is at most, and of none.
 */
export function smallest(values: Iterable<number>, most = Infinity): number {
  let least = most;
  for (const value of values) least = Math.min(least, value);
  return least;
}
