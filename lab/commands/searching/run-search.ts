import {
  describeUndecided,
  isDecidedCell,
  placeOfTrial,
  spellTrial,
  type Trial,
} from '../../gate/compare/gather-trials.ts';
import { tryAll } from '../../model/errors/usage-problems.ts';
import type { SearchedRun, SearchHead, SearchNext } from '../../model/saved/search.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { planAddresses } from '../gating/plan-gate.ts';
import { readTrials } from '../gating/read-trials.ts';
import { runOnce } from '../gating/run-rounds.ts';
import { findSavedFolder } from '../saved/find-cells.ts';
import { readNamedRun } from '../saved/find-run.ts';
import { loadQuietly } from '../setup/config.ts';
import { readEnd } from './read-end.ts';
import { addToState, beginState, type Search } from './search-state.ts';

/** Runs a cell so often, or reads that many saved runs of it. */
type Observe = (next: SearchNext, seen: readonly SearchedRun[]) => Promise<readonly Trial[]>;

/** Trials of saved runs, by the addresses that their cells have today. */
export function readSavedTrials(context: Pick<Context, 'stateDir'>, words: readonly string[]): Trial[] {
  return tryAll(words, (word) => readNamedRun(findSavedFolder(context, word)))
    .flatMap(readTrials)
    .map(spellTrial);
}

/**
 * Searches: asks what is wanted next, runs it, and saves what was seen before it asks again, until nothing is wanted.
 *
 * @param askNext reckons of all runs so far.
 */
export async function runSearch(
  context: Context,
  flags: Flags,
  { head, seen }: Search,
  askNext: (seen: readonly SearchedRun[]) => SearchNext | undefined,
): Promise<readonly SearchedRun[]> {
  const observe = head.saved === undefined ? runLive(context, flags) : readPool(context, head.saved);
  if (seen.length === 0) beginState(context, head);
  const all = [...seen];
  for (let next = askNext(all); next !== undefined; next = askNext(all)) {
    const started = context.clock.now();
    const trials = await observe(next, all);
    const seconds =
      head.saved === undefined ? (context.clock.now() - started) / 1000 / Math.max(1, trials.length) : 0;
    const { address, isFresh } = next;
    // What an interrupt has cut short says nothing of the cell.
    const runs = trials
      .filter(({ cell }) => cell.verdict !== 'interrupted')
      .map((trial) =>
        toSearchedRun(trial, { value: valueOfAddress(head, address), isFresh, seconds }, head.what),
      );
    addToState(context, head, runs);
    all.push(...runs);
    if (runs.length === 0 || context.signal.aborted) break;
  }
  return all;
}

/** The version that an address has; of a difference the address is what was run. */
function valueOfAddress(head: SearchHead, address: string): string {
  if (head.kind === 'difference') return address;
  return head.values.find((value) => value.address === address)?.value ?? address;
}

/** Runs cells in worlds of this host. */
function runLive(context: Context, flags: Flags): Observe {
  const config = loadQuietly(context);
  return async ({ address, runs, isFresh }) => {
    const own: Flags = { ...flags, cold: isFresh };
    const plan = planAddresses(context, config, [address], own);
    const { trials } = await runOnce(context, { config, plan, apart: isFresh }, own, runs);
    return trials;
  };
}

/** Takes saved runs that were not counted yet, in the order in which they are named. */
function readPool(context: Context, folders: readonly string[]): Observe {
  const trials = readSavedTrials(context, folders);
  return ({ address, runs }, seen) => {
    const used = new Set(seen.map(({ place }) => place));
    const own = trials.filter((trial) => trial.cell.address === address && !used.has(placeOfTrial(trial)));
    return Promise.resolve(own.slice(0, runs));
  };
}

function toSearchedRun(
  trial: Trial,
  run: Pick<SearchedRun, 'value' | 'isFresh' | 'seconds'>,
  what: readonly string[],
): SearchedRun {
  const { cell, components = [] } = trial;
  const seen: SearchedRun = { ...run, place: placeOfTrial(trial) };
  if (components.length > 0 && components.every(({ digest }) => digest !== undefined))
    seen.bytes = components
      .map(({ name, digest = '' }) => `${name} ${digest}`)
      .sort()
      .join(', ');
  if (!isDecidedCell(cell)) return { ...seen, why: describeUndecided(cell) };
  return { ...seen, end: readEnd(cell, what) };
}
