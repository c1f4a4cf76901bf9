import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT } from './support/run-cli.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-ctrl-c-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Evidence whose records of pods take many seconds to read. */
function makeHeavyEvidence(): string {
  const evidence = join(folder, 'heavy');
  cpSync(join(PROJECT, 'test/fixtures/evidence/oom-single-container'), evidence, { recursive: true });
  const pods = join(evidence, 'pods.jsonl');
  const once = readFileSync(pods, 'utf8');
  const many = once.repeat(Math.ceil(1_000_000 / once.length));
  for (let megabytes = 0; megabytes < 150; megabytes += 1) appendFileSync(pods, many);
  return evidence;
}

/** Until the process has opened a file whose name ends so: then it reads it, and does not look at its signals. */
async function waitUntilReads({ pid }: ChildProcess, name: string): Promise<void> {
  const opens = (): boolean => {
    try {
      const open = readdirSync(`/proc/${pid}/fd`);
      return open.some((number) => readlinkSync(`/proc/${pid}/fd/${number}`).endsWith(name));
    } catch {
      return false; // closed between two looks
    }
  };
  while (!opens()) await pause(5);
}

describe('an interrupt in the middle of work that never waits', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends judge, which holds nothing of the host',
    async (signal) => {
      const program = join(PROJECT, 'bin/whodunit.mjs');
      const child = spawn(process.execPath, [program, 'judge', makeHeavyEvidence()], {
        env: { ...process.env, npm_lifecycle_event: undefined, WHODUNIT_HOME: join(folder, 'state') },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          printed += chunk.toString();
        });
      const ended = new Promise((done) => child.once('close', (...end) => done(end)));
      await waitUntilReads(child, '/pods.jsonl');
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(printed).toBe('');
    },
  );
});
