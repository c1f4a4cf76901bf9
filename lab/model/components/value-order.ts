import { mayNameLocalBuild } from './local-build.ts';
import { compareNumbers, leadingVersion } from '../variants/versions.ts';

/**
 * The numbers of a version, for order: 2.1.4 is [2, 1, 4], `runsc@20230927` is [20230927].
 *
 * @returns undefined when the value has no version in it, so that it has no place in an order.
 */
export function numbersOf(value: string): readonly number[] | undefined {
  if (mayNameLocalBuild(value)) return undefined;
  const written = value.slice(value.indexOf('@') + 1).replace(/\+.*$/, '');
  // A kernel has its version before the suite: 6.1@bookworm.
  return (leadingVersion(written) ?? leadingVersion(value))?.split('.').map(Number);
}

/** What values of one program have in common: `runsc@20230927+systemd-cgroup` is of `runsc@+systemd-cgroup`. */
export function programOf(value: string): string {
  const [, program = '', suffix = ''] = /^([a-z]+@)?[^+]*(\+.*)?$/.exec(value) ?? [];
  return `${program}${suffix}`;
}

/** Whether two values are versions of one program in one setting, so that one may be older than the other. */
export function areComparable(one: string, other: string): boolean {
  const haveNumbers = [one, other].every((value) => numbersOf(value) !== undefined);
  return haveNumbers && programOf(one) === programOf(other);
}

/** Orders values of one program, oldest first. */
export function compareValues(one: string, other: string): number {
  return compareNumbers((numbersOf(one) ?? []).join('.'), numbersOf(other) ?? []);
}

/** The line of releases of a value: 1.7 of 1.7.27. A value that is one number, such as a date, is of the only line. */
export function lineOf(value: string): string {
  const numbers = numbersOf(value) ?? [];
  return numbers.length < 3 ? '' : numbers.slice(0, 2).join('.');
}
