import { KILLERS } from '../../model/killers/killers.ts';
import type { BisectHead, DifferenceHead, SearchedRun, SearchHead } from '../../model/saved/search.ts';

/** What a state says that cannot be true together, in words; undefined of a state that a search wrote. */
export function findContradiction({
  head,
  seen,
}: {
  readonly head: SearchHead;
  readonly seen: readonly SearchedRun[];
}): string | undefined {
  const wrong = head.kind === 'bisect' ? findWrongVersion(head, seen) : findWrongDifference(head);
  if (wrong !== undefined) return wrong;
  const killers: readonly string[] = KILLERS;
  const strange = seen.find(({ end }) => end?.killer !== undefined && !killers.includes(end.killer));
  return strange === undefined ? undefined : `a run ends by "${strange.end?.killer}", which is not a killer`;
}

function findWrongVersion(
  { good, bad, address, values }: BisectHead,
  seen: readonly SearchedRun[],
): string | undefined {
  const names = values.map(({ value }) => value);
  if (good === bad) return `both ends are ${good}`;
  for (const end of [good, bad]) if (!names.includes(end)) return `its end ${end} is not among its versions`;
  const twice = findTwice(names) ?? findTwice(values.map((version) => version.address));
  if (twice !== undefined) return `${twice} is among its versions twice`;
  if (!values.some((version) => version.value === bad && version.address === address))
    return `its cell ${address} is not that of its bad end ${bad}`;
  const other = seen.find(({ value }) => !names.includes(value));
  return other === undefined ? undefined : `a run is of ${other.value}, which is not among its versions`;
}

function findWrongDifference({ red, green, names }: DifferenceHead): string | undefined {
  if (red === green) return `both ends are ${red}`;
  const twice = findTwice(names.map(({ name }) => name));
  if (twice !== undefined) return `${twice} is among its differences twice`;
  const same = names.find((name) => name.red === name.green);
  return same === undefined ? undefined : `${same.name} is ${same.red} at both ends`;
}

function findTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
