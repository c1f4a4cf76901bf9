import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../lab/drivers/clock.ts';
import { runCommand } from '../../lab/drivers/programs/command.ts';
import { isProcessAlive } from '../../lab/drivers/processes/liveness.mjs';
import { CommandError } from '../../lab/model/errors/errors.ts';
import type { CommandOptions, Look } from '../../lab/model/host/host.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'whodunit-command-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a shell script that is expected to fail and returns the error. */
async function failureOf(script: string, options: CommandOptions = {}): Promise<CommandError> {
  try {
    await runCommand('sh', ['-c', script], { cwd: folder, ...options });
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error('the program ended well');
}

/** Says that it is ready, then waits for ever in a child. */
const WAITS = 'sleep 98765 & echo $! > child; echo ready; wait';

describe('a program', () => {
  it('gets its words as they are, whatever they contain', async () => {
    const words = ['a b', '$HOME', `it's`, '"quoted"', '', '*', '\n'];
    const { stdout } = await runCommand('printf', ['<%s>', ...words]);
    expect(stdout).toBe(words.map((word) => `<${word}>`).join(''));
  });

  it('gets our environment but for what is kept from it and what is set', async () => {
    const foreign = { TF_LOG: 'trace', TF_VAR_a: 'b', WHODUNIT_TEST: 'kept' };
    Object.assign(process.env, foreign);
    try {
      const options = { withoutEnv: /^TF_/, env: { TF_IN_AUTOMATION: '1' } };
      const { stdout } = await runCommand('env', [], options);
      const seen = stdout.split('\n').filter((line) => /^(?:TF_|WHODUNIT_TEST=)/.test(line));
      expect(seen.sort()).toEqual(['TF_IN_AUTOMATION=1', 'WHODUNIT_TEST=kept']);
    } finally {
      for (const name of Object.keys(foreign)) delete process.env[name];
    }
  });

  it('that is not installed is told apart from one that fails', async () => {
    await expect(runCommand('no-such-program-here', [])).rejects.toMatchObject({ failure: 'not-found' });
    expect(await failureOf('echo "file not found" >&2; exit 3')).toMatchObject({
      failure: 'exit-code',
      status: 3,
      tail: 'file not found',
    });
    expect(await failureOf('kill -SEGV $$')).toMatchObject({ failure: 'killed', signal: 'SIGSEGV' });
  });

  it('is judged by how it ended, never by what it printed', async () => {
    // A script whose own helper is missing is installed itself.
    expect(await failureOf('echo "helper: not found" >&2; exit 127')).toMatchObject({
      failure: 'exit-code',
      status: 127,
    });
    writeFileSync(join(folder, 'own'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
    expect((await runCommand('./own', [], { cwd: folder })).stdout).toBe('ran\n');
    await expect(runCommand('./other', [], { cwd: folder })).rejects.toMatchObject({ failure: 'not-found' });
  });

  it('tells whole lines, wherever the bytes are cut, and the last one without a newline too', async () => {
    const lines: string[] = [];
    const go = join(folder, 'go');
    execFileSync('mkfifo', [go]);
    const script = String.raw`printf 'ready\ngr\303'; read line < go; printf '\266\303\237er\nlast'`;
    const onLine = (line: string): void => {
      lines.push(line);
      if (line === 'ready') writeFileSync(go, 'now\n');
    };
    await runCommand('sh', ['-c', script], { cwd: folder, onLine });
    expect(lines).toEqual(['ready', 'größer', 'last']);
  });

  it('may answer with another status when that is expected', async () => {
    expect((await runCommand('sh', ['-c', 'exit 2'], { okStatus: [0, 2] })).status).toBe(2);
  });

  it('is not started when we were interrupted before', async () => {
    const options = { signal: AbortSignal.abort() };
    expect(await failureOf('touch started', options)).toMatchObject({ failure: 'aborted' });
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });
});

describe('a program that is stopped', () => {
  it('is waited for until it has saved what it holds', async () => {
    const abort = new AbortController();
    const go = join(folder, 'go');
    execFileSync('mkfifo', [go]);
    const onLine = (line: string): void => {
      if (line === 'ready') abort.abort();
      if (line === 'stopping') writeFileSync(go, 'now\n');
    };
    const script = `trap 'kill -9 $!; echo stopping; read line < go; echo $line > saved; exit 0' TERM; ${WAITS}`;
    const error = await failureOf(script, { signal: abort.signal, onLine });
    expect(error).toMatchObject({ failure: 'aborted', status: 0 });
    expect(readFileSync(join(folder, 'saved'), 'utf8')).toBe('now\n');
  });

  it('is killed with its children when it does not listen', async () => {
    const abort = new AbortController();
    const onLine = (line: string): void => {
      if (line === 'ready') abort.abort();
    };
    const error = await failureOf(`trap '' TERM; ${WAITS}`, {
      signal: abort.signal,
      killAfterMs: 100,
      onLine,
    });
    expect(error).toMatchObject({ failure: 'aborted', signal: 'SIGKILL' });
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
    const look = (): Promise<Look<true>> =>
      Promise.resolve(isProcessAlive(child) ? { done: false, seen: 'alive' } : { done: true, value: true });
    await createWaitFor(systemClock)(
      { title: 'its child to end', look },
      { timeoutMs: 10_000, intervalMs: 10 },
    );
  });

  it('by its time limit is told so, not as killed', async () => {
    const error = await failureOf('exec sleep 98765', { timeoutMs: 50 });
    expect(error).toMatchObject({ failure: 'timed-out', signal: 'SIGTERM' });
    expect(error.message).toContain('timed out');
  });
});
