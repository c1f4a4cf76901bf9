import type { Resemblance } from './sequential-test.ts';

/** What turns the outcome. */
export interface FoundDifference {
  /** With these changed the green cell is red, and with any of them left out it is not. In the order that was given. */
  readonly names: readonly string[];
  /** Of these names, those whose being left out could not be observed: they may not be needed. */
  readonly unsure: readonly string[];
  /** Of these names, those without which the red cell is green: there is no other way to red. */
  readonly necessary: readonly string[];
}

/** Asks for the names that are changed in the green cell, and is answered what it is like then. */
type DifferenceSearch = Generator<readonly string[], FoundDifference, Resemblance>;

/**
 * Finds a smallest set of differences that turns green into red, by halves (A. Zeller and R. Hildebrandt, IEEE TSE 28(2),
 * 2002, in the order of U. Junker's QuickXplain, AAAI 2004, which keeps what it has learnt of a half). What is unresolved
 * does not count as red. Each name is then left out once, from the set and from the red cell.
 *
 * With all names changed the cell is red, and with none it is green: the ends were asked before.
 *
 * @param names the differences, those first whose change costs least.
 */
export function* searchDifference(names: readonly string[]): DifferenceSearch {
  const known = new Map<string, Resemblance>([
    ['', 'green'],
    [names.join(), 'red'],
  ]);
  const order = (some: readonly string[]): string[] => names.filter((name) => some.includes(name));
  function* ask(some: readonly string[]): Generator<readonly string[], Resemblance, Resemblance> {
    const changed = order(some);
    const found = known.get(changed.join()) ?? (yield changed);
    known.set(changed.join(), found);
    return found;
  }

  function* narrow(
    base: readonly string[],
    isNew: boolean,
    some: readonly string[],
  ): Generator<readonly string[], readonly string[], Resemblance> {
    if (isNew && (yield* ask(base)) === 'red') return [];
    if (some.length <= 1) return some;
    const half = Math.ceil(some.length / 2);
    const [first, second] = [some.slice(0, half), some.slice(half)];
    const ofSecond = yield* narrow([...base, ...first], true, second);
    const ofFirst = yield* narrow([...base, ...ofSecond], ofSecond.length > 0, first);
    return [...ofFirst, ...ofSecond];
  }

  let found = order(yield* narrow([], false, names));
  // Differences that undo each other mislead halves: then each is left out of the whole, one by one.
  if ((yield* ask(found)) !== 'red') found = [...names];
  for (;;) {
    const left = yield* findLeftOut(found, ask);
    if (left === undefined) break;
    found = found.filter((name) => name !== left);
  }
  const unsure: string[] = [];
  const necessary: string[] = [];
  for (const name of found) {
    if ((yield* ask(without(found, name))) === 'unresolved') unsure.push(name);
    if ((yield* ask(without(names, name))) === 'green') necessary.push(name);
  }
  return { names: found, unsure, necessary };
}

/** A name that the set does not need; undefined when it needs each. */
function* findLeftOut(
  found: readonly string[],
  ask: (some: readonly string[]) => Generator<readonly string[], Resemblance, Resemblance>,
): Generator<readonly string[], string | undefined, Resemblance> {
  for (const name of found) if ((yield* ask(without(found, name))) === 'red') return name;
  return undefined;
}

function without(names: readonly string[], left: string): string[] {
  return names.filter((name) => name !== left);
}

/** How many cells a search may ask for at most, if differences do not undo each other: what is printed before it begins. */
export function boundTests(count: number): number {
  let most = 2 + 2 * count;
  for (let size = count; size > 1; size = Math.ceil(size / 2)) most += count;
  return most;
}
