import { exitCodeOf, formatError, InterruptedError } from './model/errors.ts';
import { createContext, createSpeller } from './commands/context.ts';
import { runCommandLine } from './commands/command-line.ts';

/**
 * Runs one command line and returns the exit code; errors go to standard error.
 *
 * The first SIGINT or SIGTERM asks the verb to stop and undo; a second SIGINT ends the process at once.
 */
export async function main(words: readonly string[]): Promise<number> {
  const abort = new AbortController();
  const context = createContext(abort.signal);
  const interrupt = (signal: NodeJS.Signals): void => {
    if (abort.signal.aborted && signal === 'SIGINT') process.exit(130);
    context.progress.note(`\n${signal}: stopping and cleaning up; press Ctrl-C again to leave at once`);
    abort.abort(new InterruptedError());
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // `whodunit list | head` closes our output: that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    return await runCommandLine(context, words);
  } catch (error) {
    process.stderr.write(`${createSpeller()(formatError(error))}\n`);
    // What breaks while we stop is a consequence of the interrupt.
    return abort.signal.aborted ? 130 : exitCodeOf(error);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
