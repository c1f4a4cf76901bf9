import { splitBrackets } from '../../model/host/cell-address.ts';
import { COUNT_LIMITS, spellCount } from '../../model/limits/count-limits.ts';
import { plural } from '../../model/text/plural.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { isGlob, matchGlob } from '../../model/text/match-glob.ts';
import type { Selector } from './parse-selector.ts';

const MAX_CELLS = COUNT_LIMITS.plannedCells.count;

/**
 * The scenarios that can be in the result: planning is asked for one scenario on many variants more often than for all.
 * A word that names none of them leaves all, so that the nearest name can be suggested.
 *
 * @param chosen names that `scenario=`, `tag=` and `bug=` leave.
 */
export function narrowScenarios(
  all: readonly LoadedScenario[],
  chosen: ReadonlySet<string>,
  words: readonly string[],
): readonly LoadedScenario[] {
  const named = words.map((word) => {
    const { head } = splitBrackets(word);
    const last = head.slice(head.lastIndexOf('/') + 1);
    // A glob without a slash may match the variant as well.
    const isVariantToo = !head.includes('/') && isGlob(last);
    return isVariantToo ? all : all.filter(({ scenario }) => matchGlob(last, scenario.name));
  });
  const isOpen = named.length === 0 || named.some((scenarios) => scenarios.length === 0);
  const kept = new Set(isOpen ? all : named.flat());
  const left = all.filter((loaded) => kept.has(loaded) && chosen.has(loaded.scenario.name));
  return left.length > 0 ? left : all;
}

/**
 * Says how many cells the words select when these are too many to be made one by one; counted, not expanded.
 *
 * @param on what each variant gets, and how many of it.
 */
export function describeTooMany(
  axes: Selector['axes'],
  on: Readonly<{ scenario: number } | { cell: number }>,
): string | undefined {
  const [[noun = '', count = 0] = []] = Object.entries(on);
  const sizes = Object.entries(axes).map(([axis, values]) => [axis, new Set(values).size] as const);
  const cells = sizes.reduce((product, [, size]) => product * size, count);
  if (cells <= MAX_CELLS) return undefined;
  const factors = sizes.filter(([, size]) => size > 1).map(([axis, size]) => `${axis} ${size}`);
  const product = [...factors, plural(count, noun)].join(' x ');
  return (
    `these words select ${spellCount(cells)} cells (${product}), and a plan holds ${spellCount(MAX_CELLS)}: ` +
    'name a scenario, fewer values, or a set such as set=full'
  );
}
