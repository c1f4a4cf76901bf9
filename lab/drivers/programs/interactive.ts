import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { CommandError } from '../../model/errors/errors.ts';
import { statusOfSignal } from '../../model/evidence/signals.ts';
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
    child.once('error', (cause) => reject(notStarted(program, args, cause)));
    child.once('exit', (status, signal) => resolve(toStatus(status, signal)));
  });
}

/** Longest line that is kept whole: a program may print one without an end. */
const MAX_LINE = 64 * 1024;

/**
 * Runs a program whose lines we print, and which reads from our terminal, until it ends and all of it is printed.
 *
 * `print` is given each line of standard output and standard error; a longer one in pieces.
 *
 * @returns its exit status, as `runInteractive` does.
 */
export async function runPrinting(
  { hold, print }: { readonly hold: Hold; readonly print: (line: string) => void },
  program: string,
  args: readonly string[],
): Promise<number> {
  const release = hold();
  try {
    return await printToItsEnd(program, args, (line) => print(line));
  } finally {
    await release();
  }
}

async function printToItsEnd(
  program: string,
  args: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted(program, args, cause)));
    child.once('close', (status, signal) => resolve(toStatus(status, signal)));
  });
  await Promise.all([ended, printLines(child.stdout, print), printLines(child.stderr, print)]);
  return ended;
}

async function printLines(stream: Readable, print: (line: string) => void): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const piece of stream as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(print);
    // Nobody reads any more (`| head`): the program is told so when it prints again.
    if (!process.stdout.writable) return;
    if (rest.length < MAX_LINE) continue;
    print(rest);
    rest = '';
  }
  if (rest !== '') print(rest);
}

function notStarted(program: string, args: readonly string[], cause: Error): CommandError {
  const command = formatCommand(program, args);
  return new CommandError({ command, failure: 'not-found', tail: '' }, { cause });
}

function toStatus(status: number | null, signal: NodeJS.Signals | null): number {
  return status ?? statusOfSignal(signal === null ? 0 : constants.signals[signal]);
}
