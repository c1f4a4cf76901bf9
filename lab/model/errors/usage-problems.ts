import { UsageError } from './errors.ts';

/** Most problems that are printed. Whoever has more repairs some and asks again. */
const MOST_PROBLEMS = 8;

/** One usage error for all problems of a command line. */
export function usageErrorOf(problems: readonly string[], tryNext: string): UsageError {
  const shown = problems.slice(0, MOST_PROBLEMS);
  const more = problems.length - shown.length;
  const lines = more === 0 ? shown : [...shown, `and ${more} more`];
  const text =
    problems.length === 1
      ? lines.join()
      : `${problems.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new UsageError(text, { tryNext });
}

/**
 * Tries something with every item before the first problem is thrown, so that a person hears of all of them.
 *
 * @throws UsageError for one or more items; what else is thrown ends it at once.
 */
export function tryAll<Item, Result>(items: readonly Item[], attempt: (item: Item) => Result): Result[] {
  const refused: UsageError[] = [];
  const results = items.flatMap((item) => {
    try {
      return [attempt(item)];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push(error);
      return [];
    }
  });
  throwAll(refused);
  return results;
}

/** @throws UsageError for all that was refused; nothing when that is nothing. */
export function throwAll(refused: readonly UsageError[]): void {
  const [first] = refused;
  if (first === undefined) return;
  if (refused.length === 1) throw first;
  throw usageErrorOf(
    [...new Set(refused.map(({ message }) => message))],
    first.tryNext ?? 'npx whodunit help',
  );
}
