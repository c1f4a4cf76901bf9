import { nameHostFault } from './drivers/files/name-host-fault.ts';
import { exitCodeOf, formatError, HostError, InterruptedError } from './model/errors/errors.ts';
import { EXIT_CODES } from './model/errors/exit-status.ts';
import { listUnsetVariables } from './model/host/environment.ts';
import { disarmText } from './model/text/log-commands.ts';
import { plainText } from './model/text/plain-text.ts';
import { wrapError } from './report/text/text-table.ts';
import { createContext, createSpeller } from './commands/context/context.ts';
import { runCommandLine } from './commands/line/command-line.ts';
import type { AskedJudgement } from './world/run/judge-aside.ts';
import { codeOfError } from './commands/running/exit-for.ts';
import { takeProject } from './commands/line/take-project.ts';
import { createHold } from './drivers/processes/interrupts.ts';

/**
 * Runs one command line and returns the exit code; errors go to standard error.
 *
 * While the verb holds something of the host, the first SIGINT or SIGTERM asks it to stop and undo, and a second SIGINT
 * ends the process at once. At any other time the first one does.
 */
export async function main(words: readonly string[]): Promise<number> {
  const abort = new AbortController();
  let lost: NodeJS.ErrnoException | undefined;
  let spell = createSpeller();
  process.on('uncaughtException', crash);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `whodunit list | head` closes our output: that is not an error.
    if (error.code !== 'EPIPE') lost ??= error;
  });
  try {
    for (const name of listUnsetVariables(process.env)) Reflect.deleteProperty(process.env, name);
    const interrupt = (signal: NodeJS.Signals): void => {
      if (abort.signal.aborted && signal === 'SIGINT') process.exit(EXIT_CODES.interrupted);
      context.progress.note(`\n${signal}: stopping and cleaning up; press Ctrl-C again to quit immediately`);
      abort.abort(new InterruptedError());
    };
    const { project, rest } = takeProject(words);
    const context = createContext(abort.signal, process.env, createHold(interrupt), project);
    if (context.projectFault === undefined) spell = createSpeller(process.env, project);
    const status = await runCommandLine(context, rest, process.env);
    await new Promise((done) => process.stdout.write('', done));
    if (lost !== undefined) throw lostOutput(lost);
    return status;
  } catch (error) {
    const exitCode = codeOfError(words, report(error, spell));
    // What breaks while we stop is a consequence of the interrupt.
    return abort.signal.aborted ? EXIT_CODES.interrupted : exitCode;
  } finally {
    process.off('uncaughtException', crash);
  }
}

/** Says what went wrong on standard error, and returns the exit code. */
function report(thrown: unknown, spell = createSpeller()): number {
  const error = nameHostFault(thrown);
  const text = spell(plainText(formatError(error)));
  // A log keeps its lines.
  const { isTTY, columns } = process.stderr;
  process.stderr.write(`${disarmText(isTTY ? wrapError(text, columns) : text)}\n`);
  return exitCodeOf(error);
}

/** What nobody caught ends the process, but with the exit code that it means: Node's own is that of a failed cell. */
function crash(error: unknown): void {
  process.exit(report(error));
}

function lostOutput(cause: NodeJS.ErrnoException): HostError {
  return new HostError('LAB_OUTPUT', 'standard output could not be written, so the result is not whole', {
    lastSeen: cause.message,
    tryNext: 'free some disk, or write it elsewhere',
    cause,
  });
}

/** What bin/judge-thread.mjs does. */
export async function judgeSaved(asked: AskedJudgement): Promise<unknown> {
  const { judgeInThread } = await import('./world/run/judge-aside.ts');
  return judgeInThread(asked);
}
