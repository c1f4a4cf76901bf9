/** Versions inside values of axes and facts, compared as conditions do. */

/** The leading version of a value (`1.34.2` of `1.34.2@file:…`); undefined when it has none. */
export function leadingVersion(value: string): string | undefined {
  return /^\d+(\.\d+)*/.exec(value)?.[0];
}

/** Compares a version with an operand, as far as the operand is written: 1.34.2 equals 1.34. */
export function compareAsWritten(version: string, operand: string): number {
  return compareNumbers(version, operand.split('.').map(Number));
}

/** The same with the numbers of the operand, for an operand that is compared many times. */
export function compareNumbers(version: string, operand: readonly number[]): number {
  const numbers = version.split('.');
  for (const [index, number] of operand.entries()) {
    const difference = Number(numbers[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
}
