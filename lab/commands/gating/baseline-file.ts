import { resolve } from 'node:path';
import { findText, writeJsonAtomic } from '../../drivers/files/files.ts';
import { describeProblem, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { plural } from '../../model/text/plural.ts';
import { shellWord } from '../../model/text/shell.ts';
import { sum } from '../../model/text/sum.ts';
import { baselineSchema, type Baseline, type GatedCell } from '../../model/saved/gate.ts';
import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import type { Context } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';

/**
 * Reads a baseline.
 *
 * @throws UsageError when it is not one, or contradicts itself: a comparison with it would be wrong.
 */
export function readBaseline(path: string): Baseline {
  const refuse = (why: string): UsageError =>
    new UsageError(`${path}: ${why}`, {
      tryNext: `npx whodunit gate --for <program> --record ${shellWord(path)}`,
    });
  const text = findText(resolve(path));
  if (text === undefined) throw refuse('there is no such baseline');
  const value = tryParseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(`it is not a baseline: ${describeOther(text, value)}`);
  const parsed = baselineSchema.safeParse(value);
  if (parsed.success) {
    const wrong = findContradiction(parsed.data);
    if (wrong !== undefined) throw refuse(`it contradicts itself: ${wrong}`);
    return parsed.data;
  }
  const { formatVersion } = value as { formatVersion?: unknown };
  if (typeof formatVersion === 'number' && formatVersion !== FORMAT_VERSION)
    throw refuse(`it has the format ${formatVersion}, and this whodunit reads ${FORMAT_VERSION}`);
  const [problem] = listZodProblems(path, baselineSchema, value, parsed.error);
  throw refuse(`it is not a baseline: ${problem === undefined ? 'no detail' : describeProblem(problem)}`);
}

/** What a text is that has no fields. */
function describeOther(text: string, value: unknown): string {
  if (value !== undefined) return 'it is JSON without fields';
  return text.trim() === '' ? 'it is empty' : 'it is not JSON, or only a part of it';
}

/** What cannot be true together; undefined of a baseline that `whodunit gate --record` wrote. */
function findContradiction({ cells }: Baseline): string | undefined {
  const addresses = cells.map(({ address }) => address);
  const twice = addresses.find((address, index) => addresses.indexOf(address) !== index);
  if (twice !== undefined) return `${twice} is in it twice`;
  for (const { address, of, deaths, seconds } of cells) {
    const counted = sum(deaths.map(({ count }) => count));
    if (counted !== of) return `${address} has ${plural(of, 'trial')}, and ${plural(counted, 'death')}`;
    if (seconds.length !== of) return `${address} has ${plural(of, 'trial')}, and times of ${seconds.length}`;
  }
  return undefined;
}

/** Writes the cells of runs as a baseline. */
export function writeBaseline(
  context: Context,
  path: string,
  baseline: {
    readonly program: GatedProgram | undefined;
    readonly runs: readonly string[];
    readonly cells: GatedCell[];
  },
): Baseline {
  const { program, runs, cells } = baseline;
  const written: Baseline = {
    formatVersion: FORMAT_VERSION,
    kind: 'baseline',
    version: readOwnVersion(),
    recordedAt: new Date(context.clock.now()).toISOString(),
    ...(program === undefined ? {} : { for: program }),
    runs: [...runs],
    cells,
  };
  writeJsonAtomic(resolve(path), written);
  return written;
}
