import { AXES, type Variant } from '../../model/axes/axes.ts';
import { sum } from '../../model/text/sum.ts';
import type { ChangedArea } from '../reach/changed-areas.ts';

/** A cell that a gate may run. */
export interface GateCandidate {
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: string;
  readonly tags: readonly string[];
  /** What one trial takes. */
  readonly seconds: number;
  /** Its world, and those that this one is derived from, with what each takes to come up. */
  readonly worlds: readonly { readonly name: string; readonly seconds: number }[];
  /** Changes of this program that its scenario has told apart before: bugs, by id. */
  readonly caught: readonly string[];
}

/** A chosen cell. */
interface ChosenCell {
  readonly cell: GateCandidate;
  /** What it adds to the time of the gate: one trial, and its world if it is the first in it. */
  readonly seconds: number;
  readonly why: string;
}

/** What fits into the budget. */
export interface ChosenCells {
  readonly chosen: readonly ChosenCell[];
  readonly leftOut: number;
}

/** A change that was caught before counts as much as so many pairs that nothing else covers. */
const WORTH_OF_CAUGHT = 4;
/** What a cell is worth that adds nothing: it is a second look at the same pairs. */
const WORTH_OF_ANOTHER = 0.1;

/**
 * Chooses cells by value per second. The value of a cell is in what no chosen one has: pairs of an area and a value of the
 * variant, pairs of an area and a tag, and bugs that its scenario has told apart. A world costs once.
 *
 * @param seconds the budget; a cell that does not fit is left out, and a smaller one may still fit.
 */
export function chooseCells(
  candidates: readonly GateCandidate[],
  areas: readonly ChangedArea[],
  seconds: number = Infinity,
): ChosenCells {
  const touched = candidates
    .map((cell) => ({ cell, areas: areas.filter(({ area }) => showsArea(cell, area.tags)) }))
    .filter((entry) => entry.areas.length > 0)
    .map(({ cell, areas: shown }) => ({ cell, areas: shown, pairs: listPairs(cell, shown) }));
  const covered = new Set<string>();
  const worlds = new Set<string>();
  const chosen: ChosenCell[] = [];
  let left = [...touched];
  let room = seconds;
  while (left.length > 0) {
    const rated = left.map((entry) => {
      const cost = costOf(entry.cell, worlds);
      const added = entry.pairs.filter((pair) => !covered.has(pair));
      return { ...entry, cost, added, rate: (worthOf(added) + WORTH_OF_ANOTHER) / Math.max(1, cost) };
    });
    const fitting = rated.filter(({ cost }) => cost <= room);
    const best = fitting.reduce<(typeof fitting)[number] | undefined>(
      (most, entry) => (most === undefined || entry.rate > most.rate ? entry : most),
      undefined,
    );
    if (best === undefined) break;
    chosen.push({ cell: best.cell, seconds: best.cost, why: describeWhy(best.cell, best.areas) });
    for (const pair of best.pairs) covered.add(pair);
    for (const { name } of best.cell.worlds) worlds.add(name);
    room -= best.cost;
    left = left.filter(({ cell }) => cell.address !== best.cell.address);
  }
  return { chosen, leftOut: left.length };
}

/** Whether a scenario with these tags shows what an area can break. */
export function showsArea({ tags }: Pick<GateCandidate, 'tags'>, ofArea: readonly string[]): boolean {
  return tags.some((tag) => ofArea.includes(tag));
}

function costOf({ seconds, worlds }: GateCandidate, up: ReadonlySet<string>): number {
  return seconds + sum(worlds.filter(({ name }) => !up.has(name)).map((world) => world.seconds));
}

function listPairs({ variant, tags, caught }: GateCandidate, areas: readonly ChangedArea[]): string[] {
  return [
    ...areas.flatMap(({ area }) => [
      ...AXES.map((axis) => `${area.id} ${axis}=${variant[axis]}`),
      ...tags.filter((tag) => area.tags.includes(tag)).map((tag) => `${area.id} tag=${tag}`),
    ]),
    ...caught.map((bug) => `${BUG}${bug}`),
  ];
}

const BUG = 'bug ';

function worthOf(pairs: readonly string[]): number {
  const bugs = pairs.filter((pair) => pair.startsWith(BUG)).length;
  return pairs.length - bugs + bugs * WORTH_OF_CAUGHT;
}

function describeWhy({ caught }: GateCandidate, areas: readonly ChangedArea[]): string {
  const layers = new Set(areas.flatMap(({ area }) => area.layers));
  const names = areas.map(({ area }) => area.id).join(', ');
  const bugs = caught.length === 0 ? '' : `; showed a difference before: ${caught.join(', ')}`;
  return `${names} (${[...layers].join(', ')})${bugs}`;
}
