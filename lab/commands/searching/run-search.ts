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

/** Runs a cell as often as `next` asks, or reads that many saved runs of it. */
type Observe = (next: SearchNext, seen: readonly SearchedRun[]) => Promise<readonly Trial[]>;

/** Reads the trials of saved runs, with the addresses that their cells have today. */
export function readSavedTrials(context: Pick<Context, 'stateDir'>, words: readonly string[]): Trial[] {
  return tryAll(words, (word) => readNamedRun(findSavedFolder(context, word)))
    .flatMap(readTrials)
    .map(spellTrial);
}

/**
 * Runs a search until no further run is needed. Each batch of runs is saved before the next one is chosen.
 *
 * @param askNext chooses the next runs by all runs so far; undefined ends the search.
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
    // An interrupted run says nothing about the cell.
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

/** Returns the version of an address; for a difference, the address itself is the value. */
function valueOfAddress(head: SearchHead, address: string): string {
  if (head.kind === 'difference') return address;
  return head.values.find((value) => value.address === address)?.value ?? address;
}

/** Observes cells by running them in worlds of this host. */
function runLive(context: Context, flags: Flags): Observe {
  const config = loadQuietly(context);
  return async ({ address, runs, isFresh }) => {
    const own: Flags = { ...flags, cold: isFresh };
    const plan = planAddresses(context, config, [address], own);
    const { trials } = await runOnce(context, { config, plan, apart: isFresh }, own, runs);
    return trials;
  };
}

/** Observes cells by reading saved runs that were not counted yet, in the order in which they were named. */
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
