import { readLines, readProjectFiles } from '../drivers/files.ts';
import { statePaths } from '../model/paths.ts';
import { parsePastTimings } from '../plan/estimate.ts';
import { parseConfig, type Config } from '../plan/parse-config.ts';
import { planCells, type Plan } from '../plan/plan-cells.ts';
import type { Context } from './context.ts';

/**
 * Reads and checks matrix.yaml and the scenarios of the project.
 *
 * @throws ConfigError with every problem of every file.
 */
export function loadConfig(context: Pick<Context, 'projectDir'>): Config {
  return parseConfig(readProjectFiles(context.projectDir));
}

/**
 * Loads the configuration and plans what the words select, with estimates from past runs.
 *
 * @throws ConfigError, UsageError
 */
export function loadPlan(context: Context, words: readonly string[]): { config: Config; plan: Plan } {
  const config = loadConfig(context);
  const timings = parsePastTimings(readLines(statePaths(context.stateDir).timings));
  return { config, plan: planCells(config, words, timings) };
}
