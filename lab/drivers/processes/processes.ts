import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { HostError } from '../../model/errors/errors.ts';
import type { Host, Probe } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { findStartTicks, isProcessAlive } from './liveness.mjs';

/** A process that is meant, and no later one with its number. */
export interface FoundProcess {
  readonly pid: number;
  readonly startTicks: string;
}

/** The process that runs this code. */
export function thisProcess(): FoundProcess {
  return { pid: process.pid, startTicks: findStartTicks(process.pid) ?? '0' };
}

const LOOK_MS = 50;

/** Returns whether a program of this name (at most 15 letters, as the kernel keeps it) runs on the host. */
export function isProgramRunning(name: string): boolean {
  return listPids().some(
    (pid) => read(`/proc/${pid}/comm`).trimEnd() === name && findStartTicks(pid) !== undefined,
  );
}

/**
 * Ends every process of a program whose command line names a file; nothing happens when there is none.
 *
 * @param program name of the program, without folder.
 * @param file one word of the command line.
 * @throws HostError LAB_NOT_OURS when somebody else's process is one of them; ProbeTimeoutError when one does not end.
 */
export async function endProcesses(
  host: Pick<Host, 'waitFor' | 'signal'>,
  program: string,
  file: string,
): Promise<void> {
  const found = findProcesses(program, file);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const left = found.filter(({ pid, startTicks }) => isProcessAlive(pid, { startTicks }));
    if (left.length === 0) return;
    for (const { pid } of left) sendSignal(pid, signal);
    const ended: Probe = {
      title: `${program} to end`,
      look: async () => {
        const alive = left.filter(({ pid, startTicks }) => isProcessAlive(pid, { startTicks }));
        return alive.length === 0
          ? { done: true, value: true }
          : { done: false, seen: `pid ${alive.map(({ pid }) => pid).join(', ')} runs` };
      },
    };
    const limits = { timeoutMs: TIME_LIMITS.host.programEnds.ms, intervalMs: LOOK_MS, signal: host.signal };
    if (signal === 'SIGKILL') await host.waitFor(ended, limits);
    else await host.waitFor(ended, limits).catch(() => undefined); // the next signal is stronger
  }
}

/**
 * Waits for what still works in a folder: programs that a lab had started there when it was killed. They were asked to
 * end when it died (`runCommand`), and a second request would make Terraform give up without its state, so that nothing is
 * sent until their time is up. Then they are killed.
 *
 * @param mark a variable of their environment, `NAME=value`: the shell of a person who looks around there has it not.
 */
export async function awaitWorkIn(
  host: Pick<Host, 'waitFor' | 'signal'>,
  folder: string,
  mark: string,
): Promise<void> {
  let left: FoundProcess[] = [];
  const ended: Probe = {
    title: `the work in ${folder} to end`,
    look: async () => {
      left = findWorkIn(folder, mark);
      if (left.length === 0) return { done: true, value: true };
      return { done: false, seen: `pid ${left.map(({ pid }) => pid).join(', ')} runs` };
    },
  };
  try {
    await host.waitFor(ended, {
      timeoutMs: TIME_LIMITS.host.lastWork.ms,
      intervalMs: LOOK_MS,
      signal: host.signal,
    });
  } catch (error) {
    if (host.signal.aborted) throw error;
    for (const { pid } of left) sendSignal(pid, 'SIGKILL');
    await host.waitFor(ended, {
      timeoutMs: TIME_LIMITS.host.programEnds.ms,
      intervalMs: LOOK_MS,
      signal: host.signal,
    });
  }
}

/** Processes with this variable whose working directory is a folder or is below it. */
function findWorkIn(folder: string, mark: string): FoundProcess[] {
  return listPids().flatMap((pid) => {
    const startTicks = findStartTicks(pid);
    const at = readWorkingDirectory(pid);
    const isThere = at === folder || at?.startsWith(`${folder}/`) === true;
    const isMeant = isThere && read(`/proc/${pid}/environ`).split('\0').includes(mark);
    return isMeant && startTicks !== undefined ? [{ pid, startTicks }] : [];
  });
}

/** Undefined when the process ended meanwhile, or is somebody else's. */
function readWorkingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function findProcesses(program: string, file: string): FoundProcess[] {
  return listPids().flatMap((pid) => {
    const startTicks = findStartTicks(pid);
    const words = read(`/proc/${pid}/cmdline`).split('\0');
    const isMeant = basename(words[0] ?? '') === program && words.includes(file);
    return isMeant && startTicks !== undefined ? [{ pid, startTicks }] : [];
  });
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return; // it ended meanwhile
    throw new HostError('LAB_NOT_OURS', `process ${pid} may not be ours: not ended`, {
      lastSeen: (error as Error).message,
      tryNext: `see whose it is: ps -o user,args ${pid}`,
      cause: error,
    });
  }
}

function listPids(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

/** Empty when the process ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
