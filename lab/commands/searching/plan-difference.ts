import { newRunId } from '../../drivers/run-id.ts';
import type { AskableCell } from '../../experiment/difference/search-cells.ts';
import { AXES } from '../../model/axes/axes.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { tryAll } from '../../model/errors/usage-problems.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { DifferenceHead } from '../../model/saved/search.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import type { Candidate } from '../../plan/cells/expand-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { plural } from '../../model/text/plural.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { findSavedFolder } from '../saved/find-cells.ts';
import { addressOfCell, askCost, getCell, valueOfCell } from './searched-cell.ts';
import { readSavedTrials } from './run-search.ts';
import { readTogether } from './read-together.ts';
import { readWhat } from './read-what.ts';

/** The most differences that are searched. More need more worlds than anybody waits for. */
const MOST_DIFFERENCES = 9;

/** The most runs of a cell between the ends, unless --repeat has another number. */
const MOST_RUNS = 8;

/**
 * Plans a search for the smallest difference. It starts no machine.
 *
 * @throws UsageError with what is wrong in the question.
 */
export function planDifference(
  context: Context,
  config: Config,
  words: readonly string[],
  flags: Flags,
): DifferenceHead {
  const [redWord, greenWord, ...others] = words;
  if (redWord === undefined || greenWord === undefined || others.length > 0)
    throw new UsageError(`difference takes two cells, and got ${plural(words.length, 'word')}`, {
      tryNext: 'npx whodunit difference <red address> <green address>',
    });
  const [red, green] = readTogether(
    () => getCell(config, redWord),
    () => getCell(config, greenWord),
  );
  const [what, names] = readTogether(
    () => readWhat(flags.what, red.loaded),
    () => readNames(red, green),
  );
  const head: DifferenceHead = {
    formatVersion: FORMAT_VERSION,
    kind: 'difference',
    search: newRunId(context.clock.now()),
    red: red.address,
    green: green.address,
    mostRuns: flags.repeat ?? MOST_RUNS,
    what,
    names,
  };
  if (flags.budget !== undefined) head.budgetSeconds = flags.budget;
  if (flags.saved !== undefined) head.saved = tryAll(flags.saved, (word) => findSavedFolder(context, word));
  const ask = createCellOf(context, config, head);
  refuseEnds(head, ask);
  const cheapestFirst = names
    .map((difference) => ({ difference, seconds: ask([difference.name]).prepareSeconds }))
    .toSorted((one, other) => one.seconds - other.seconds);
  return { ...head, names: cheapestFirst.map(({ difference }) => difference) };
}

/** Lists the axes and parameters in which two cells of one scenario differ. */
function listDifferences(red: Candidate, green: Candidate): DifferenceHead['names'] {
  return [...AXES, ...Object.keys(red.loaded.scenario.parameters)].flatMap((axis) => {
    const [one, other] = [valueOfCell(red, axis) ?? '', valueOfCell(green, axis) ?? ''];
    return one === other ? [] : [{ name: axis, red: one, green: other }];
  });
}

/** @throws UsageError when nothing can be searched between them. */
function readNames(red: Candidate, green: Candidate): DifferenceHead['names'] {
  const { name } = red.loaded.scenario;
  if (name !== green.loaded.scenario.name)
    throw new UsageError(`the cells have two scenarios: ${name} and ${green.loaded.scenario.name}`, {
      tryNext: 'name two cells of one scenario',
    });
  const names = listDifferences(red, green);
  if (names.length === 0)
    throw new UsageError(`both are the cell ${red.address}`, { tryNext: 'name two cells that differ' });
  if (names.length > MOST_DIFFERENCES)
    throw new UsageError(
      `the cells differ in ${names.length} axes and parameters, and at most ${MOST_DIFFERENCES} are searched`,
      { tryNext: 'name cells that differ in fewer axes and parameters' },
    );
  return names;
}

/**
 * Returns a function from changed differences to the green cell with these changes, and its cost. Each cell is planned
 * once.
 */
export function createCellOf(
  context: Context,
  config: Config,
  { red, green, names, saved }: DifferenceHead,
): (changed: readonly string[]) => AskableCell {
  const base = getCell(config, green);
  refuseOthers(listDifferences(getCell(config, red), base), names);
  const known = new Map<string, AskableCell>();
  const trials = saved === undefined ? undefined : readSavedTrials(context, saved);
  const plan = (changed: readonly string[]): AskableCell => {
    const values = names.flatMap(({ name, red: value }) => (changed.includes(name) ? [[name, value]] : []));
    const address =
      changed.length === names.length
        ? red
        : addressOfCell(base, Object.fromEntries(values) as Record<string, string>);
    if (trials === undefined) return { address, ...askCost(context, config, address) };
    const count = trials.filter(({ cell }) => cell.address === address).length;
    const free = { prepareSeconds: 0, againSeconds: 0, runSeconds: 1 };
    return { address, ...free, trials: count };
  };
  return (changed) => {
    const key = changed.join();
    const found = known.get(key) ?? plan(changed);
    known.set(key, found);
    return found;
  };
}

/** @throws UsageError when the cells of a saved search differ in other axes or parameters today. */
function refuseOthers(now: DifferenceHead['names'], saved: DifferenceHead['names']): void {
  const spell = (names: DifferenceHead['names']): string =>
    names
      .map(({ name, red, green }) => `${name} ${green} → ${red}`)
      .toSorted()
      .join(', ');
  if (spell(now) !== spell(saved))
    throw new UsageError(
      `the cells differ in ${spell(now)}, and the search says ${spell(saved) || 'nothing'}`,
      {
        tryNext: 'ask again: npx whodunit help difference',
      },
    );
}

/** @throws UsageError when an end cannot be run, or the budget is smaller than both. */
function refuseEnds(
  { names, budgetSeconds }: DifferenceHead,
  cellOf: (changed: readonly string[]) => AskableCell,
): void {
  const ends = [[], names.map(({ name }) => name)].map(cellOf);
  const refused = ends.flatMap(({ address, refused: why, trials }) =>
    why === undefined && trials !== 0 ? [] : [`${address}: ${why ?? 'the saved runs have no run of it'}`],
  );
  if (refused.length > 0)
    throw new UsageError(`an end cannot be run: ${refused.join('; ')}`, { tryNext: 'name another cell' });
  const least = ends.reduce((seconds, end) => seconds + end.prepareSeconds + end.runSeconds, 0);
  if (budgetSeconds !== undefined && budgetSeconds < least)
    throw new UsageError(
      `the two ends take about ${formatDuration(least * 1000)}, and the budget is ${formatDuration(budgetSeconds * 1000)}`,
      { tryNext: `--budget ${Math.ceil((least * 3) / 60)}m` },
    );
}
