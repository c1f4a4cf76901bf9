import { compareNumbers, leadingVersion } from './versions.ts';

/**
 * Ranges of versions, wherever a file or a word names one: comparators that must all hold (`>=1.30 <1.30.4`), or a
 * version with a span of numbers in it (`1.30.[0-3]`).
 */
type VersionRange =
  | { readonly comparators: readonly Comparator[] }
  /** The versions themselves, the lowest first. */
  | { readonly versions: readonly string[] };

/** One comparator; its operand is a version, or `{name}` in a condition. */
interface Comparator {
  readonly operator: '<' | '<=' | '>' | '>=';
  readonly operand: string;
}

const COMPARATOR = /^(<=|>=|<|>)v?(.+)$/;
const SPAN = /^v?(?<before>[^[\]]*)\[(?<from>\d{1,4})-(?<to>\d{1,4})\](?<after>[^[\]]*)$/;
const VERSION = /^\d+(\.\d+)*$/;

const HOLDS: Readonly<Record<Comparator['operator'], (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** Reads a range; undefined for a text that is none, such as a version or a glob. */
export function parseRange(text: string): VersionRange | undefined {
  const { before, from, to, after } = SPAN.exec(text)?.groups ?? {};
  if (before !== undefined && from !== undefined && to !== undefined && after !== undefined) {
    const [first, last] = [Number(from), Number(to)];
    const count = Math.max(0, last - first + 1);
    return { versions: Array.from({ length: count }, (_, index) => `${before}${first + index}${after}`) };
  }
  const parts = text.split(/\s+/).map((part) => COMPARATOR.exec(part));
  if (parts[0] === null || parts[0] === undefined) return undefined;
  return {
    comparators: parts.map((part) => ({
      operator: (part?.[1] ?? '<') as Comparator['operator'],
      operand: part?.[2] ?? '',
    })),
  };
}

/** Whether a text is a version with a span of numbers. */
export function isSpan(text: string): boolean {
  return SPAN.test(text);
}

/** What a range should have been, as a problem of a file says it; undefined for one that some version is in. */
export function describeWrongRange(range: VersionRange): string | undefined {
  if ('versions' in range)
    return range.versions.length === 0 ? 'a span whose first number is not above its last' : undefined;
  const isRight = range.comparators.every(({ operand }) => VERSION.test(operand));
  if (!isRight) return 'comparators such as ">=1.6 <1.6.3", or a span such as "1.30.[0-3]"';
  return isEmpty(range.comparators) ? 'a range that has a version' : undefined;
}

/** Whether comparators exclude each other: `>=1.40 <1.30`. */
function isEmpty(comparators: readonly Comparator[]): boolean {
  const low = comparators.filter(({ operator }) => operator.startsWith('>'));
  const high = comparators.filter(({ operator }) => operator.startsWith('<'));
  return low.some((from) =>
    high.some((to) => {
      const difference = compareNumbers(from.operand, to.operand.split('.').map(Number));
      return difference > 0 || (difference === 0 && to.operator === '<');
    }),
  );
}

/** Compiles a range into a test of versions; a value that begins with no version is in none. */
export function compileRange(range: VersionRange): (value: string) => boolean {
  if ('versions' in range) {
    const versions = new Set(range.versions);
    return (value) => versions.has(value);
  }
  const tests = range.comparators.map(({ operator, operand }) => ({
    holds: HOLDS[operator],
    numbers: operand.split('.').map(Number),
  }));
  return (value) => {
    const version = leadingVersion(value);
    return (
      version !== undefined && tests.every(({ holds, numbers }) => holds(compareNumbers(version, numbers)))
    );
  };
}
