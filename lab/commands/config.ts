import { readLines } from '../drivers/files.ts';
import { readTotalMemoryMiB } from '../drivers/memory.ts';
import { readProjectFiles } from '../drivers/project-files.ts';
import { statePaths } from '../model/paths.ts';
import { parsePastTimings } from '../plan/estimate.ts';
import { parseConfig, type Config } from '../plan/parse-config.ts';
import { planCells, type Plan, type PlanOptions } from '../plan/plan-cells.ts';
import { readWorldRecords } from '../world/world-record.ts';
import type { Context } from './context.ts';
import type { Flags } from './flags.ts';

/**
 * Reads and checks what the project declares: matrix, components, scenarios and bugs.
 *
 * @throws ConfigError with every problem of every file.
 */
export function loadConfig(context: Pick<Context, 'projectDir'>): Config {
  return parseConfig(readProjectFiles(context.projectDir));
}

/**
 * Loads the configuration and plans what the words select, with estimates from past runs, the worlds that are saved
 * here and the memory of this host.
 *
 * @param flags `--pairwise` and `--seed` of the command line.
 * @throws ConfigError, UsageError
 */
export function loadPlan(
  context: Context,
  words: readonly string[],
  flags: Flags = {},
): { config: Config; plan: Plan } {
  const config = loadConfig(context);
  return { config, plan: planWords(context, config, words, flags) };
}

/**
 * The same with a configuration that was loaded already.
 *
 * @param options what the verb itself asks of the plan.
 */
export function planWords(
  context: Context,
  config: Config,
  words: readonly string[],
  flags: Flags,
  options: Pick<PlanOptions, 'asked'> = {},
): Plan {
  const { seed } = flags;
  return planCells(config, words, {
    ...options,
    timings: parsePastTimings(readLines(statePaths(context.stateDir).timings)),
    savedWorlds: listSavedWorlds(context.stateDir),
    host: { memoryMiB: readTotalMemoryMiB() },
    pairwise: flags.pairwise === true,
    cold: flags.cold === true,
    ...(seed === undefined ? {} : { seed }),
  });
}

/** Names of the worlds that have a snapshot. Whether it still fits is found out when the world is needed. */
function listSavedWorlds(stateDir: string): Set<string> {
  const ready = readWorldRecords(stateDir).filter(({ record }) => record?.state === 'ready');
  return new Set(ready.map(({ name }) => name));
}
