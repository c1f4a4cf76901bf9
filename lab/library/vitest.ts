/** `import … from 'whodunit/vitest'`: cells as tests. A failed test shows the verdict, and the chain that leads to it. */
import { join } from 'node:path';
import { test } from 'vitest';
import { createContext } from '../commands/context/context.ts';
import { loadPlan } from '../commands/setup/config.ts';
import { PROJECT_DIR } from '../drivers/project/project-dir.ts';
import { EXIT_CODES } from '../model/errors/exit-status.ts';
import { tryParseJson } from '../model/files/parse-json.ts';
import type { CommandResult } from '../model/host/host.ts';
import { TIME_LIMITS } from '../model/limits/time-limits.ts';

/** A cell that a test runs: one scenario on one variant. */
export interface TestCell {
  /** `default/oom-single-container`. */
  readonly address: string;
  readonly title: string;
  /** How long a test may take, in milliseconds: what the scenario allows, and the world before it. */
  readonly timeout: number;
}

/**
 * The cells that words choose, as `whodunit list` does: `await cells('set=quick')`.
 *
 * @throws LabError for words that choose nothing.
 */
export function cells(...words: readonly string[]): Promise<TestCell[]> {
  const { plan } = loadPlan({ ...createContext(new AbortController().signal), typed: words }, words);
  return Promise.resolve(
    plan.cells.map(({ address, loaded: { scenario } }) => ({
      address,
      title: scenario.title,
      timeout: scenario.timeoutSeconds * 1000 + TIME_LIMITS.host.testOfCell.ms,
    })),
  );
}

/**
 * Runs a cell. Resolves when it passed.
 *
 * @throws Error with what `whodunit why` says of it when it did not.
 */
export async function runCell({ address }: Pick<TestCell, 'address'>): Promise<void> {
  const run = await runProgram(['run', address, '--json']);
  if (run.status === EXIT_CODES.passed) return;
  const id = findRunId(run.stdout);
  const why = id === undefined ? undefined : await runProgram(['why', address, '--run', id]);
  throw new Error(why === undefined || why.stdout === '' ? run.stderr : why.stdout);
}

/** Makes a test of each cell that words choose: `await whodunit('set=quick')` in a test file. */
export async function whodunit(...words: readonly string[]): Promise<void> {
  for (const cell of await cells(...words))
    test(cell.address, { timeout: cell.timeout }, () => runCell(cell));
}

/** A process of its own: an interrupt of the tests ends it as an interrupt of the command does, and it cleans up. */
function runProgram(words: readonly string[]): Promise<CommandResult> {
  const { run } = createContext(new AbortController().signal);
  const program = join(PROJECT_DIR, 'bin/whodunit.mjs');
  return run(process.execPath, [program, ...words], { okStatus: Object.values(EXIT_CODES) });
}

/** The run that an answer is of; none when it is an error, or was cut off where the program ended. */
function findRunId(json: string): string | undefined {
  const answer = tryParseJson(json);
  const id = (answer as { readonly run?: unknown } | null | undefined)?.run;
  return typeof id === 'string' ? id : undefined;
}
