import { resolve } from 'node:path';
import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { readNamedJson } from '../../drivers/files/named-file.ts';
import { describeProblem, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { spellToday } from '../../model/host/spell-today.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { listTwice } from '../../model/text/list-twice.ts';
import { plural } from '../../model/text/plural.ts';
import { shellWord } from '../../model/text/shell.ts';
import { sum } from '../../model/text/sum.ts';
import { baselineSchema, type Baseline, type GatedCell } from '../../model/saved/gate.ts';
import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import type { Context } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';

/**
 * Reads a baseline. Its cells get the addresses that they have today, which may be spelled in another way than before.
 *
 * @throws UsageError when it is not a baseline, or contradicts itself: a comparison with it would be wrong.
 */
export function readBaseline(path: string): Baseline {
  const tryNext = `npx whodunit gate --for <program> --record ${shellWord(path)}`;
  const refuse = (why: string): UsageError => new UsageError(`${path}: ${why}`, { tryNext });
  const value = readNamedJson({ name: path, is: 'a baseline', tryNext });
  const parsed = baselineSchema.safeParse(value);
  if (parsed.success) {
    const cells = parsed.data.cells.map((cell) => spellToday(cell, () => cell.versions));
    const contradictions = listContradictions({ ...parsed.data, cells });
    if (contradictions.length === 0) return { ...parsed.data, cells };
    throw refuse(`it contradicts itself: ${contradictions.join('; ')}`);
  }
  const { formatVersion } = value;
  if (typeof formatVersion === 'number' && formatVersion !== FORMAT_VERSION)
    throw refuse(`it has the format ${formatVersion}, and this whodunit reads ${FORMAT_VERSION}`);
  const [problem] = listZodProblems(path, baselineSchema, value, parsed.error);
  throw refuse(`it is not a baseline: ${problem === undefined ? 'no detail' : describeProblem(problem)}`);
}

/** Lists what cannot be true together, in words. A baseline that `whodunit gate --record` wrote has nothing of it. */
function listContradictions({ cells }: Baseline): string[] {
  const twice = listTwice(cells.map(({ address }) => address));
  return [
    ...(cells.length === 0 ? ['it has no cell'] : []),
    ...twice.map((address) => `${address} is in it twice`),
    ...cells.flatMap(({ address, of, deaths, seconds }) => {
      const counted = sum(deaths.map(({ count }) => count));
      const trials = `${address} has ${plural(of, 'trial')}`;
      return [
        ...(counted === of ? [] : [`${trials}, and ${plural(counted, 'death')}`]),
        ...(seconds.length === of ? [] : [`${trials}, and times of ${seconds.length}`]),
      ];
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
