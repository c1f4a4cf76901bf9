import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, runProgram, type Ended } from './run-cli.ts';

/** How a line ended. */
export interface LineEnd extends Ended {
  readonly words: readonly string[];
}

/** A line of words, or one for which files of the project have other texts. */
type Line =
  readonly string[] | { readonly words: readonly string[]; readonly texts: Readonly<Record<string, string>> };

/** Where lines are run. */
interface Lines {
  /** Is written: the lines. */
  readonly file: string;
  /** Left out: that of the test. */
  readonly project?: string;
  /** Comes on top of ours. */
  readonly env: NodeJS.ProcessEnv;
  /** The working directory; left out: the project of the test. */
  readonly cwd?: string;
}

/** Runs command lines, one after the other, in one process: a table of them takes seconds in place of minutes. */
export async function runLines(
  { file, project = PROJECT, env, cwd }: Lines,
  lines: readonly Line[],
): Promise<readonly LineEnd[]> {
  writeFileSync(file, JSON.stringify(lines));
  const script = join(import.meta.dirname, 'run-lines.mjs');
  const ours = { npm_lifecycle_event: undefined, WHODUNIT_CACHE: undefined, ...env };
  const { stdout, stderr } = await runProgram(process.execPath, [script, project, file], ours, cwd);
  if (stderr !== '') throw new Error(stderr.slice(0, 2000));
  return JSON.parse(stdout) as LineEnd[];
}
