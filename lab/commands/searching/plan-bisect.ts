import { newRunId } from '../../drivers/run-id.ts';
import { AXES, DEFAULT_VARIANT, VERSION_AXES } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { tryAll } from '../../model/errors/usage-problems.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { BisectHead, SearchedValue } from '../../model/saved/search.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { mayNameLocalBuild } from '../../model/components/local-build.ts';
import { compareValues, numbersOf, programOf } from '../../model/components/value-order.ts';
import { addressesOfBug } from '../../plan/bugs/bug-cells.ts';
import { findBug } from '../../plan/bugs/find-bug.ts';
import type { Candidate } from '../../plan/cells/expand-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { isKnownText } from '../../plan/parameters/fill-parameters.ts';
import { describeUnknownValue, isAxis, isKnownValue } from '../../plan/variants/parse-variant.ts';
import { plural } from '../../model/text/plural.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { findSavedFolder } from '../saved/find-cells.ts';
import { loadQuietly } from '../setup/config.ts';
import { addressOfCell, askCost, getCell, valueOfCell } from './searched-cell.ts';
import { exactOf, listValuesBetween } from './list-values.ts';
import { proposeCommits, proposeEnds } from './propose-ends.ts';
import { readSavedTrials } from './run-search.ts';
import { readTogether } from './read-together.ts';
import { readWhat } from './read-what.ts';

/** The question of a search, before its versions are known. */
interface Question {
  readonly cell: Candidate;
  readonly axis: string;
  readonly good: string;
  readonly bad: string;
  readonly bug: Bug | undefined;
}

/**
 * Plans a search: its two ends, the versions between them, and the cost of each. It starts no machine.
 *
 * @throws UsageError with what is wrong in the question.
 */
export async function planBisect(
  context: Context,
  words: readonly string[],
  flags: Flags,
): Promise<BisectHead> {
  const config = loadQuietly(context);
  const sides = readSides(config, words);
  const [question, what] = readTogether(
    () => readQuestion(config, sides, flags),
    () => readWhat(flags.what, sides.cell.loaded),
  );
  const { cell, axis, good, bad, bug } = question;
  const addressOf = (value: string): string => addressOfCell(cell, { [axis]: value });
  const { values, notes } =
    flags.saved === undefined
      ? await askValues(context, config, question)
      : { values: listSaved(context, config, question, flags.saved), notes: [] };
  const head: BisectHead = {
    formatVersion: FORMAT_VERSION,
    kind: 'bisect',
    search: newRunId(context.clock.now()),
    address: addressOf(bad),
    axis,
    good,
    bad,
    branches: flags.branches === true,
    what,
    values,
    notes: [...notes],
  };
  if (bug !== undefined) head.bug = bug.id;
  if (flags.budget !== undefined) head.budgetSeconds = flags.budget;
  if (flags.saved !== undefined) head.saved = tryAll(flags.saved, (word) => findSavedFolder(context, word));
  refuseValues(head);
  return head;
}

/** The cell with the bad end; for a bug also the cell of its fixed side. */
interface Sides {
  readonly cell: Candidate;
  readonly bug: Bug | undefined;
  readonly other: Candidate | undefined;
}

function readSides(config: Config, words: readonly string[]): Sides {
  const [word, ...others] = words;
  if (word === undefined || others.length > 0)
    throw new UsageError(`bisect takes one cell or one bug, and got ${plural(words.length, 'word')}`, {
      tryNext: 'npx whodunit help bisect',
    });
  const bug = word.includes('/') && !word.includes('://') ? undefined : findBug(config.bugs, word);
  const [affected = word, fixed] = bug === undefined ? [] : addressesOfBug(bug, config.scenarios);
  const cell = getCell(config, affected);
  return { cell, bug, other: fixed === undefined ? undefined : getCell(config, fixed) };
}

function readQuestion(config: Config, { cell, bug, other }: Sides, flags: Flags): Question {
  const axis = readAxis(cell, flags.axis, other);
  const own = valueOfCell(cell, axis);
  if (own === undefined) throw refuseAxis(cell, axis);
  if (isAxis(axis) && !VERSION_AXES.includes(axis))
    throw new UsageError(`the values of ${axis} have no order: nothing is between two of them`, {
      tryNext: `one of: ${VERSION_AXES.join(', ')}; or npx whodunit difference <red address> <green address>`,
    });
  const bad = flags.bad ?? own;
  const good =
    flags.good ??
    (other === undefined ? (flags.bad === undefined ? undefined : own) : valueOfCell(other, axis));
  if (good === undefined)
    throw new UsageError(`a search has two ends, and the cell has only ${axis}=${own}`, {
      tryNext: `--good or --bad: a value of ${axis} with the other outcome`,
    });
  const isReversed = good !== bad && good === own && other !== undefined && bad === valueOfCell(other, axis);
  if (bug !== undefined && isReversed)
    throw new UsageError(
      `the ends are reversed: bugs/${bug.id}.yaml has ${axis}=${good} as affected, and ${bad} as fixed`,
      { tryNext: `--good ${bad} --bad ${good}` },
    );
  const question = { cell, axis, good, bad, bug };
  refuseEnds(config, question);
  return question;
}

/** Returns the named axis; for a bug without one, the only axis in which its sides differ. */
function readAxis(cell: Candidate, named: string | undefined, other: Candidate | undefined): string {
  if (named !== undefined) return named;
  const names = [...AXES, ...Object.keys(cell.loaded.scenario.parameters)];
  const different =
    other === undefined ? [] : names.filter((name) => valueOfCell(cell, name) !== valueOfCell(other, name));
  const [only, ...more] = different;
  if (only !== undefined && more.length === 0) return only;
  throw new UsageError(
    different.length === 0
      ? 'bisect needs to know which axis is searched'
      : `the sides of the bug differ in ${different.join(' and ')}, and one axis is searched`,
    {
      tryNext: `--axis <axis>, one of: ${different.length === 0 ? VERSION_AXES.join(', ') : different.join(', ')}`,
    },
  );
}

function refuseAxis({ loaded }: Candidate, axis: string): UsageError {
  const known = [...AXES, ...Object.keys(loaded.scenario.parameters)];
  return new UsageError(
    `there is no axis "${axis}", and ${loaded.scenario.name} has no such parameter${formatHint(axis, known)}`,
    { tryNext: `one of: ${known.join(', ')}` },
  );
}

/** @throws UsageError with what is wrong with the two ends. */
function refuseEnds(config: Config, question: Question): void {
  const { cell, axis, good, bad, bug } = question;
  const tryNext = 'npx whodunit help bisect';
  refuseCheckouts(config, question);
  const problems = [good, bad].flatMap((value) => {
    if (!isKnown(config, cell, axis, value))
      return [
        isAxis(axis) ? describeUnknownValue(config.matrix, axis, value) : `${axis} takes no "${value}"`,
      ];
    if (numbersOf(value) !== undefined) return [];
    const isDefault = isAxis(axis) && value === DEFAULT_VARIANT[axis];
    return [
      `${axis}=${value} has no place among versions${isDefault ? ': name one with --good or --bad' : ''}`,
    ];
  });
  if (problems.length > 0) throw new UsageError([...new Set(problems)].join('; '), { tryNext });
  if (good === bad)
    throw new UsageError(`both ends are ${axis}=${good}`, { tryNext: '--good and --bad: two versions' });
  if (programOf(good) !== programOf(bad))
    throw new UsageError(`${good} and ${bad} are not versions of one program`, {
      tryNext: proposeEnds(config, question),
    });
  const isSame = exactOf(config, { cell, axis }, good) === exactOf(config, { cell, axis }, bad);
  if (!isSame && compareValues(good, bad) === 0)
    throw new UsageError(`${good} and ${bad} have the same version, so that nothing is between them`, {
      tryNext,
    });
  if (isSame)
    throw new UsageError(`${good} and ${bad} are the same bytes: nothing can have changed between them`, {
      tryNext: bug === undefined ? tryNext : `npx whodunit bugs ${bug.id}`,
    });
}

/** @throws UsageError when an end is a build of a checkout, with the line by which git itself searches its commits. */
function refuseCheckouts(config: Config, question: Question): void {
  const { cell, axis, good, bad } = question;
  const builds = [...new Set([good, bad])].filter(mayNameLocalBuild);
  const tryNext = proposeCommits(config, question);
  if (tryNext === undefined || !builds.every((value) => isKnown(config, cell, axis, value))) return;
  throw new UsageError(
    `${axis}=${builds.join(' and ')}: bisect searches releases, and git bisect searches the commits of a checkout`,
    { tryNext },
  );
}

function isKnown(config: Config, { loaded }: Candidate, axis: string, value: string): boolean {
  if (isAxis(axis)) return isKnownValue(config.matrix, axis, value);
  const parameter = loaded.scenario.parameters[axis];
  return parameter !== undefined && isKnownText(parameter, value);
}

async function askValues(
  context: Context,
  config: Config,
  { cell, axis, good, bad }: Question,
): Promise<{ values: SearchedValue[]; notes: readonly string[] }> {
  const listed = await listValuesBetween(context, config, { cell, axis }, [good, bad]);
  const values = listed.values.map((value): SearchedValue => {
    const address = addressOfCell(cell, { [axis]: value });
    return { value, address, ...askCost(context, config, address) };
  });
  return { values, notes: listed.notes };
}

/** Lists the versions in saved runs. Reading a saved run costs nothing, so each counts as one second. */
function listSaved(
  context: Context,
  config: Config,
  { cell, axis, good, bad }: Question,
  folders: readonly string[],
): SearchedValue[] {
  const counts = new Map<string, number>();
  for (const { cell: saved } of readSavedTrials(context, folders))
    counts.set(saved.address, (counts.get(saved.address) ?? 0) + 1);
  const values: SearchedValue[] = [];
  for (const [address, trials] of counts) {
    const value = valueOfSaved(config, cell, axis, address);
    if (value !== undefined)
      values.push({ value, address, prepareSeconds: 0, againSeconds: 0, runSeconds: 1, trials });
  }
  const missing = [good, bad].filter((end) => !values.some(({ value }) => value === end));
  if (missing.length > 0)
    throw new UsageError(
      `the saved runs have no run of ${missing.map((end) => addressOfCell(cell, { [axis]: end })).join(' and ')}`,
      { tryNext: 'npx whodunit runs' },
    );
  const isBetween = (value: string): boolean =>
    compareValues(value, good) * compareValues(value, bad) <= 0 && programOf(value) === programOf(bad);
  return values.filter(({ value }) => numbersOf(value) !== undefined && isBetween(value));
}

/** Returns the value of a saved cell on an axis, if it differs from this cell in nothing else; otherwise undefined. */
function valueOfSaved(config: Config, cell: Candidate, axis: string, address: string): string | undefined {
  const [saved] = findCell(config, address);
  const value = saved === undefined ? undefined : valueOfCell(saved, axis);
  return value !== undefined && addressOfCell(cell, { [axis]: value }) === address ? value : undefined;
}

function findCell(config: Config, address: string): Candidate[] {
  try {
    return [getCell(config, address)];
  } catch (error) {
    // A saved run may have cells of scenarios that were removed.
    if (error instanceof UsageError) return [];
    throw error;
  }
}

/** @throws UsageError when nothing can be searched, or the budget is smaller than the two ends. */
function refuseValues({ axis, good, bad, values, budgetSeconds }: BisectHead): void {
  const ends = values.filter(({ value }) => value === good || value === bad);
  const refused = ends.flatMap(({ value, refused: why }) =>
    why === undefined ? [] : [`${axis}=${value}: ${why}`],
  );
  if (refused.length > 0)
    throw new UsageError(`an end cannot be run: ${refused.join('; ')}`, {
      tryNext: 'name another --good or --bad',
    });
  const between = values.filter(({ value }) => value !== good && value !== bad);
  const [first] = between;
  if (first === undefined)
    throw new UsageError(
      `no version is known between ${axis}=${good} and ${bad}: the change is between these two`,
      {
        tryNext: 'name ends that are farther apart',
      },
    );
  if (between.every(({ refused: why }) => why !== undefined))
    throw new UsageError(
      `none of the ${between.length} versions between ${good} and ${bad} can be run: ${first.value}: ${first.refused}`,
      { tryNext: 'npx whodunit help bisect' },
    );
  const least = ends.reduce((seconds, end) => seconds + end.prepareSeconds + end.runSeconds, 0);
  if (budgetSeconds !== undefined && budgetSeconds < least)
    throw new UsageError(
      `the two ends take about ${formatDuration(least * 1000)}, and the budget is ${formatDuration(budgetSeconds * 1000)}`,
      { tryNext: `--budget ${Math.ceil((least * 3) / 60)}m` },
    );
}
