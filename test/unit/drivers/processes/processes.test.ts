import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import { findStartTicks } from '../../../../lab/drivers/processes/liveness.mjs';
import { awaitWorkIn, endProcesses } from '../../../../lab/drivers/processes/processes.ts';
import type { WaitFor } from '../../../../lab/model/host/host.ts';
import { NO_RC } from '../../../bash.ts';

const host = { waitFor: createWaitFor(systemClock), signal: new AbortController().signal };

let folder: string;
let started: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-processes-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
});

/** Starts a program that waits, under another name, with a file of its own on its command line. */
async function start(name: string, file: string, deaf = false): Promise<number> {
  const program = join(mkdtempSync(join(folder, 'bin-')), name);
  symlinkSync('/usr/bin/tail', program);
  writeFileSync(join(folder, file), '');
  const words = [program, '-f', join(folder, file)];
  const script = `${deaf ? "trap '' TERM; " : ''}echo ready; exec "$@"`;
  const child = spawn('bash', [NO_RC, '-c', script, 'bash', ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  await expect.poll(() => findStartTicks(pid) !== undefined).toBe(true);
  return pid;
}

describe('ending the processes of a program that name a file', () => {
  it('ends that one, and neither its twin with another file nor another program with the same', async () => {
    const meant = await start('registry', 'mine');
    const others = [await start('registry', 'other'), await start('editor', 'mine')];
    await expect
      .poll(async () => {
        await endProcesses(host, 'registry', join(folder, 'mine'));
        return findStartTicks(meant);
      })
      .toBeUndefined();
    expect(others.map((pid) => findStartTicks(pid) !== undefined)).toEqual([true, true]);
  });

  it('kills one that does not listen', async () => {
    const deaf = await start('registry', 'mine', true);
    await expect
      .poll(async () => {
        await endProcesses(host, 'registry', join(folder, 'mine'));
        return findStartTicks(deaf);
      })
      .toBeUndefined();
  });

  it('does nothing when there is none', async () => {
    await expect(endProcesses(host, 'registry', join(folder, 'mine'))).resolves.toBeUndefined();
  });
});

describe('what works in a folder', () => {
  /** A shell that works below the folder until its input ends. */
  const work = async (env: NodeJS.ProcessEnv = { MARK: 'ours' }): Promise<ChildProcess> => {
    const below = mkdtempSync(join(folder, 'stack-'));
    const child = spawn('bash', [NO_RC, '-c', 'echo ready; read line'], {
      cwd: below,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    started.push(child);
    await once(child.stdout, 'data');
    return child;
  };

  it('is waited for, and gets no signal', async () => {
    const child = await work();
    const ended = once(child, 'exit');
    const looks: boolean[] = [];
    const waitFor: WaitFor = async (probe) => {
      const first = await probe.look();
      child.stdin?.end();
      await ended;
      const second = await probe.look();
      looks.push(first.done, second.done);
      if (!second.done) throw new Error('it still works');
      return second.value;
    };
    await awaitWorkIn({ ...host, waitFor }, folder, 'MARK=ours');
    expect(looks).toEqual([false, true]);
    expect(await ended).toEqual([1, null]);
  });

  it('is not the shell of somebody who looks around there', async () => {
    const child = await work({});
    await awaitWorkIn(host, folder, 'MARK=ours');
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  it('is killed when its time is up', async () => {
    const ended = once(await work(), 'exit');
    let isFirst = true;
    const waitFor: WaitFor = async (probe, limits) => {
      if (!isFirst) return host.waitFor(probe, limits);
      isFirst = false;
      await probe.look();
      throw new Error('time is up');
    };
    await awaitWorkIn({ ...host, waitFor }, folder, 'MARK=ours');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });
});
