import { AXES } from '../../model/axes/axes.ts';
import type { Bug, BugVariant } from '../../model/declared/bug.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { usageErrorOf } from '../../model/errors/usage-problems.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { Overrides } from '../../model/saved/repro.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import { isGlob } from '../../model/text/match-glob.ts';
import { addressesOfBug, outcomeOfBug, startFailureOfBug } from '../bugs/bug-cells.ts';
import { digestOf } from '../parameters/digest-scenario.ts';
import type { Config } from '../config/parse-config.ts';
import {
  describeUnknownValue,
  isAxis,
  findValue,
  splitAssignment,
  TRY_SELECT,
} from '../variants/parse-variant.ts';
import { expandText } from '../parameters/fill-parameters.ts';
import { describeUnknownWanted } from '../select/vary-scenarios.ts';

/** What a person asks of a bug in addition to what its file says. */
export interface BugRequest {
  /** `axis=value` and `parameter=value` words that replace or add to the affected side. */
  readonly affected?: readonly string[] | undefined;
  /** The same of the fixed side. */
  readonly fixed?: readonly string[] | undefined;
  /** How often each side is run; default: as the bug says. */
  readonly repeat?: number | undefined;
}

/** What one side of a bug must do, and how often it is run. */
export interface AskedCell {
  readonly outcome: Outcome;
  /** Id of the declared start failure that it must show in place of that. */
  readonly startFailure?: string;
  readonly repeat: number;
}

/** A question about a bug, ready to be planned. */
export interface BugQuestion {
  /** With its sides as they were asked for. */
  readonly bug: Bug;
  /** The digest of the bug as its file says it. */
  readonly digest: string;
  readonly overrides: Overrides;
  /** Runs of each side. */
  readonly repeat: number;
  /** Affected, fixed, controls. */
  readonly addresses: readonly string[];
  /** Both sides, by address. */
  readonly cells: ReadonlyMap<string, AskedCell>;
}

/**
 * Makes a question of a bug and of what a person asks in addition to its file. A side whose axes or parameters were
 * replaced must still end as the bug says of that side: the question is whether it does.
 *
 * @throws UsageError with every word that is wrong and the nearest name; when both sides would be the same cell.
 */
export function askBug(config: Config, bug: Bug, request: BugRequest = {}): BugQuestion {
  const loaded = config.scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  const problems: string[] = [];
  const overrides: Overrides = {
    affected: readWords(config, loaded, '--affected', request.affected ?? [], problems),
    fixed: readWords(config, loaded, '--fixed', request.fixed ?? [], problems),
  };
  const repeat = request.repeat ?? Math.max(bug.repeats, loaded?.scenario.repeat ?? 1);
  if (problems.length > 0) throw usageErrorOf(problems, TRY_SELECT);
  const asked: Bug = {
    ...bug,
    affected: { ...bug.affected, ...overrides.affected },
    fixed: { ...bug.fixed, ...overrides.fixed },
  };
  const [affected = '', fixed = '', ...controls] = addressesOfBug(asked, config.scenarios);
  if (affected === fixed)
    throw new UsageError(`both sides of ${bug.id} would be the same cell: ${affected}`, {
      tryNext: 'leave the two apart in at least one axis or parameter',
    });
  const cells = new Map<string, AskedCell>();
  for (const [address, role] of [[affected, 'affected'] as const, [fixed, 'fixed'] as const]) {
    const outcome = outcomeOfBug(bug, bug[role], config, asked[role]);
    const mustFail = startFailureOfBug(bug[role], config.matrix)?.id;
    if (outcome !== undefined)
      cells.set(address, { outcome, repeat, ...(mustFail === undefined ? {} : { startFailure: mustFail }) });
  }
  // A control that has become a side has what that side must do.
  const kept = controls.map((address) => !cells.has(address));
  return {
    bug: { ...asked, controls: asked.controls.filter((_, index) => kept[index]) },
    digest: digestOf(bug),
    overrides,
    repeat,
    cells,
    addresses: [affected, fixed, ...controls.filter((_, index) => kept[index])],
  };
}

/** Whether anything was asked that the file of the bug does not say. */
export function hasOverrides({ affected, fixed }: Overrides): boolean {
  return Object.keys(affected).length + Object.keys(fixed).length > 0;
}

function readWords(
  { matrix }: Config,
  loaded: LoadedScenario | undefined,
  flag: string,
  words: readonly string[],
  problems: string[],
): BugVariant {
  const parameters = loaded?.scenario.parameters ?? {};
  const read: Record<string, string> = {};
  for (const word of words) {
    const { key, value: text } = splitAssignment(word) ?? { key: '', value: '' };
    const found = isAxis(key) ? findValue(matrix, key, text) : undefined;
    const value = found?.value ?? text;
    const known = [...AXES, ...Object.keys(parameters)];
    if (key === '') problems.push(`${flag} takes axis=value or parameter=value words, not "${word}"`);
    else if (!known.includes(key))
      problems.push(`${flag}: there is no axis or parameter "${key}"${formatHint(key, known)}`);
    else if (Object.hasOwn(read, key))
      problems.push(`${flag} has two values of ${key}: ${read[key]} and ${value}`);
    else if (isAxis(key)) {
      if (found === undefined) problems.push(`${flag}: ${describeUnknownValue(matrix, key, value)}`);
    } else {
      const declared = Object.fromEntries(
        Object.entries(parameters).map(([name, parameter]) => [name, [parameter]]),
      );
      // A glob would be many values, and a side is one cell.
      const unknown = isGlob(value)
        ? [`"${value}" is not a value of ${key}`]
        : describeUnknownWanted(declared, { [key]: [value] });
      problems.push(...unknown.map((text) => `${flag}: ${text}`));
      const parameter = parameters[key];
      if (parameter !== undefined) read[key] = expandText(parameter, value)[0] ?? value;
    }
    if (key !== '') read[key] ??= value;
  }
  return read;
}
