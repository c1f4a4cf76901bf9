import { VERSION_AXES } from '../../model/axes/axes.ts';
import { numbersOf } from '../../model/components/value-order.ts';
import { splitBrackets } from '../../model/host/cell-address.ts';
import { listTwice } from '../../model/text/list-twice.ts';
import { KILLERS } from '../../model/killers/killers.ts';
import { findSearchedMeasure } from '../../model/saved/searched-measure.ts';
import type { BisectHead, DifferenceHead, SearchedRun, SearchHead } from '../../model/saved/search.ts';
import { isAxis } from '../../plan/variants/parse-variant.ts';

/** Returns in words what cannot be true in the state of a search; undefined for a state that a search wrote. */
export function findContradiction({
  head,
  seen,
}: {
  readonly head: SearchHead;
  readonly seen: readonly SearchedRun[];
}): string | undefined {
  const wrong =
    findWrongQuestion(head) ??
    (head.kind === 'bisect' ? findWrongVersion(head, seen) : findWrongDifference(head)) ??
    findWrongRun(seen);
  if (wrong !== undefined) return wrong;
  const killers: readonly string[] = KILLERS;
  const strange = seen.find(({ end }) => end?.killer !== undefined && !killers.includes(end.killer));
  return strange === undefined ? undefined : `a run ends by "${strange.end?.killer}", which is not a killer`;
}

function findWrongQuestion({ what }: SearchHead): string | undefined {
  const [twice] = listTwice(what);
  if (twice !== undefined) return `it asks for ${twice} twice`;
  const empty = what.find((word) => {
    const [low = 0, high = 0] = findSearchedMeasure(word)?.between ?? [];
    return low > high;
  });
  return empty === undefined ? undefined : `no number is within ${empty}`;
}

/**
 * Finds a run that is there twice, which would make the answer surer than it is, or that has an end and a reason for
 * none.
 */
function findWrongRun(seen: readonly SearchedRun[]): string | undefined {
  const ends = seen.filter(({ end }) => end !== undefined);
  const [twice] = listTwice(ends.map(({ place }) => place));
  if (twice !== undefined) return `the run ${twice} is in it twice`;
  const odd = seen.find(({ end, why }) => (end === undefined) === (why === undefined));
  if (odd === undefined) return undefined;
  return `the run ${odd.place} has ${odd.end === undefined ? 'neither' : 'both'} an end ${odd.end === undefined ? 'nor' : 'and'} a reason for none`;
}

function findWrongVersion(
  { axis, good, bad, address, values }: BisectHead,
  seen: readonly SearchedRun[],
): string | undefined {
  const names = values.map(({ value }) => value);
  if (good === bad) return `both ends are ${good}`;
  if (!isSearchedIn(axis, values))
    return `"${axis}" is neither an axis with versions nor a parameter of its cells`;
  for (const end of [good, bad]) if (!names.includes(end)) return `its end ${end} is not among its versions`;
  const unordered = names.find((name) => numbersOf(name) === undefined);
  if (unordered !== undefined) return `${unordered} has no place among versions`;
  const [twice] = [...listTwice(names), ...listTwice(values.map((version) => version.address))];
  if (twice !== undefined) return `${twice} is among its versions twice`;
  if (!values.some((version) => version.value === bad && version.address === address))
    return `its cell ${address} is not that of its bad end ${bad}`;
  const other = seen.find(({ value }) => !names.includes(value));
  return other === undefined ? undefined : `a run is of ${other.value}, which is not among its versions`;
}

/**
 * Whether a search can vary this axis or parameter. The address of a cell names a parameter whose value is not the
 * default.
 */
function isSearchedIn(axis: string, values: BisectHead['values']): boolean {
  if (isAxis(axis)) return VERSION_AXES.includes(axis);
  return values.some(
    ({ address }) => splitBrackets(address).inside?.some(({ name }) => name === axis) ?? false,
  );
}

function findWrongDifference({ red, green, names, mostRuns }: DifferenceHead): string | undefined {
  if (red === green) return `both ends are ${red}`;
  if (names.length === 0) return 'nothing differs between its ends';
  if (mostRuns === 0) return 'it allows no run';
  const [twice] = listTwice(names.map(({ name }) => name));
  if (twice !== undefined) return `${twice} is among its differences twice`;
  const same = names.find((name) => name.red === name.green);
  return same === undefined ? undefined : `${same.name} is ${same.red} at both ends`;
}
