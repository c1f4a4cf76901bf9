import { compareValues, lineOf } from '../../model/components/value-order.ts';

/** Values in release lines: fixes are taken back to older lines, so the order of versions is a forest and not a list. */
interface ReleaseForest {
  /** The ends, and the first value of each line between them: what happened on the main branch. From good to bad. */
  readonly trunk: readonly string[];
  /** Each line with two values or more, from its first value to its last. */
  readonly lines: readonly (readonly string[])[];
}

/**
 * Sorts values between two ends into release lines.
 *
 * @param values of one program, the ends among them.
 */
export function growForest(values: readonly string[], good: string, bad: string): ReleaseForest {
  const sorted = [...new Set([...values, good, bad])].toSorted(compareValues);
  const [from, to] = [sorted.indexOf(good), sorted.indexOf(bad)];
  const between = sorted.slice(Math.min(from, to), Math.max(from, to) + 1);
  const lines = new Map<string, string[]>();
  for (const value of between) lines.set(lineOf(value), [...(lines.get(lineOf(value)) ?? []), value]);
  const isOneLine = lines.size === 1;
  const firsts = [...lines.values()].map(([first]) => first);
  const trunk = between.filter(
    (value) => isOneLine || value === good || value === bad || firsts.includes(value),
  );
  return {
    trunk: from <= to ? trunk : trunk.toReversed(),
    lines: [...lines.values()].filter((line) => line.length > 1),
  };
}

/** A part of the forest that is searched once the change on the trunk is known. */
export interface LineSearch {
  readonly line: readonly string[];
  /** Whether its last value is known to be of the other side; else the change may not be in this line. */
  readonly isClosed: boolean;
}

/**
 * The lines that are searched after the trunk, whose change is between two values: the patch line of the minor that turns,
 * and with `all` each line that began before the change.
 *
 * @param before the last value of the trunk that is of the older side; `after` the first one of the newer side.
 */
export function listLineSearches(
  { lines, trunk }: ReleaseForest,
  { before, after, all }: { readonly before: string; readonly after: string; readonly all: boolean },
): LineSearch[] {
  return lines.flatMap((line): LineSearch[] => {
    const [first = ''] = line;
    if (line.every((value) => trunk.includes(value))) return [];
    if (line.includes(before) && line.includes(after) && line.indexOf(after) - line.indexOf(before) > 1)
      return [{ line: line.slice(line.indexOf(before), line.indexOf(after) + 1), isClosed: true }];
    if (line.includes(after) || compareValues(first, after) >= 0) return [];
    if (!line.includes(before) && !all) return [];
    return [{ line, isClosed: false }];
  });
}
