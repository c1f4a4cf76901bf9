import { AXES } from '../../model/axes/axes.ts';
import type { Candidate } from './expand-cells.ts';

/** The result of pairwise covering. */
export interface Covering<T> {
  /** The chosen cells, in the order of the candidates. */
  readonly chosen: readonly T[];
  /** Pairs of values (of axes and parameters; scenarios count as values) that occur in some candidate. */
  readonly pairs: number;
  /** Pairs that occur in a chosen cell, counted again over the choice: equal to `pairs`. */
  readonly covered: number;
}

/**
 * Chooses few cells that together have every pair of values that any candidate has: a covering array of strength 2
 * over the axes, the scenario and its parameters, under all rules at once, because the candidates are the cells that no rule refuses.
 *
 * The method is the greedy one of AETG (Cohen, Dalal, Fredman, Patton: The AETG System, IEEE Transactions on Software
 * Engineering 23(7), 1997): always take a row with the most pairs that are not covered yet. AETG has to make up
 * rows; ours are listed already, so it is plain greedy set cover with its known bound (Chvátal 1979: at most
 * 1 + ln 45 times the smallest choice), and gains are computed late (Minoux 1978), since they can only shrink.
 * Ties go to the earlier candidate.
 *
 * A cell whose pods are declared unable to start proves nothing about its other values. Such `masked` candidates
 * cover only the pairs that no other candidate has.
 */
export function coverPairs<T extends Candidate>(
  candidates: readonly T[],
  isMasked: (candidate: T) => boolean = () => false,
): Covering<T> {
  const rows = numberValues(candidates);
  const indices = candidates.map((_, index) => index);
  const masked = new Set(indices.filter((index) => isMasked(candidates[index] as T)));
  const covered = new Set<number>();
  const chosen = new Set<number>();
  for (const group of [indices.filter((index) => !masked.has(index)), [...masked]]) {
    for (const index of chooseRows(rows, group, covered)) chosen.add(index);
  }
  const inOrder = candidates.filter((_, index) => chosen.has(index));
  return { chosen: inOrder, pairs: countPairs(candidates), covered: countPairs(inOrder) };
}

/** Number of different pairs of values in cells. */
function countPairs(cells: readonly Candidate[]): number {
  const seen = new Set<number>();
  for (const row of numberValues(cells)) eachPair(row, (pair) => seen.add(pair));
  return seen.size;
}

/** One number for each value of each axis and parameter (and for each scenario), below 2^20 so that two make one safe integer. */
type Row = readonly number[];

function numberValues(cells: readonly Candidate[]): Row[] {
  const numbers = new Map<string, number>();
  const numberOf = (value: string): number => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  };
  const ofVariant = new Map<string, Row>();
  return cells.map(({ name, variant, loaded }) => {
    const row = ofVariant.get(name) ?? AXES.map((axis) => numberOf(`${axis}=${variant[axis]}`));
    ofVariant.set(name, row);
    const parameters = Object.keys(loaded.parameters).sort();
    return [
      ...row,
      numberOf(`scenario=${loaded.scenario.name}`),
      ...parameters.map((name) => numberOf(`${name}=${loaded.parameters[name]}`)),
    ];
  });
}

function eachPair(row: Row, use: (pair: number) => void): void {
  row.forEach((a, index) => {
    for (const b of row.slice(index + 1)) use(a * 2 ** 20 + b);
  });
}

/** Greedy choice among a group of rows until none has a new pair; adds what it covers to `covered`. */
function chooseRows(rows: readonly Row[], group: readonly number[], covered: Set<number>): number[] {
  const gainOf = (index: number): number => {
    let gain = 0;
    eachPair(rows[index] ?? [], (pair) => (gain += covered.has(pair) ? 0 : 1));
    return gain;
  };
  // waiting[gain]: rows whose last known gain this was. Gains only shrink, so it is the most that they have now.
  const waiting: number[][] = [];
  for (const index of group) (waiting[gainOf(index)] ??= []).push(index);
  const chosen: number[] = [];
  for (let gain = waiting.length - 1; gain > 0; gain -= 1) {
    for (const index of waiting[gain] ?? []) {
      const now = gainOf(index);
      if (now < gain) {
        (waiting[now] ??= []).push(index);
        continue;
      }
      chosen.push(index);
      eachPair(rows[index] ?? [], (pair) => covered.add(pair));
    }
  }
  return chosen;
}
