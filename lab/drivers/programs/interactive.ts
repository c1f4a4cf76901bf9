import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandError } from '../../model/errors/errors.ts';
import type { Hold } from '../processes/interrupts.ts';
import { formatCommand } from './command.ts';

/**
 * Runs a program (a shell, kubectl) on our terminal until it ends. Ctrl-C is for the program: we end with it.
 *
 * @returns its exit status as a shell would give it: 128 + n after signal n.
 */
export async function runInteractive(
  { hold }: { readonly hold: Hold },
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const release = hold();
  try {
    return await runToItsEnd(program, args, env);
  } finally {
    await release();
  }
}

function runToItsEnd(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('error', (cause) =>
      reject(
        new CommandError(
          { command: formatCommand(program, args), failure: 'not-found', tail: '' },
          { cause },
        ),
      ),
    );
    child.once('exit', (status, signal) =>
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
