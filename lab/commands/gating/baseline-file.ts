import { resolve } from 'node:path';
import { findText, writeJsonAtomic } from '../../drivers/files/files.ts';
import { describeProblem, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { baselineSchema, type Baseline, type GatedCell } from '../../model/saved/gate.ts';
import { sum } from '../../model/text/sum.ts';
import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import type { Context } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';

/**
 * Reads a baseline.
 *
 * @throws UsageError when it is not one.
 */
export function readBaseline(path: string): Baseline {
  const refuse = (why: string): UsageError =>
    new UsageError(`${path}: ${why}`, { tryNext: `npx whodunit gate --for <program> --record ${path}` });
  const text = findText(resolve(path));
  if (text === undefined) throw refuse('there is no such baseline');
  const value = tryParseJson(text);
  if (value === undefined) throw refuse('it is not JSON');
  const parsed = baselineSchema.safeParse(value);
  if (parsed.success) {
    const wrong = listContradictions(parsed.data.cells);
    if (wrong.length === 0) return parsed.data;
    throw refuse(`it contradicts itself: ${wrong.join('; ')}`);
  }
  const { formatVersion } = (value ?? {}) as { formatVersion?: unknown };
  if (typeof formatVersion === 'number' && formatVersion !== FORMAT_VERSION)
    throw refuse(`it has the format ${formatVersion}, and this whodunit reads ${FORMAT_VERSION}`);
  const [problem] = listZodProblems(path, baselineSchema, value, parsed.error);
  throw refuse(`it is not a baseline: ${problem === undefined ? 'no detail' : describeProblem(problem)}`);
}

/** What it says that cannot be true together: rates would be reckoned of it. */
export function listContradictions(cells: readonly Pick<GatedCell, 'address' | 'of' | 'deaths'>[]): string[] {
  const addresses = cells.map(({ address }) => address);
  const twice = addresses.filter((address, index) => addresses.indexOf(address) < index);
  return [
    ...(cells.length === 0 ? ['it has no cell'] : []),
    ...[...new Set(twice)].map((address) => `${address} is in it twice`),
    ...cells.flatMap(({ address, of, deaths }) => {
      const counted = sum(deaths.map(({ count }) => count));
      return counted === of ? [] : [`${address} has ${of} trials with a verdict, and ${counted} ends`];
    }),
  ];
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
