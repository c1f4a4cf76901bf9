import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findStartTicks } from '../../lab/drivers/processes/liveness.mjs';
import { eventSchema, type RunEvent } from '../../lab/model/saved/run-event.ts';
import { createCell } from '../unit/report/made-run.ts';
import { PROJECT, runCli, type Ended } from './support/run-cli.ts';
import { saveRun } from './support/save-run.ts';

const RUN = '20260101-0900-a1';
let home: string;
let path: string;
/** A process that stands for the lab that runs cells. */
let lab: ChildProcess;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-events-'));
  path = join(home, 'runs', RUN, 'events.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  lab = spawn('sleep', ['600']);
});
afterEach(async () => {
  await kill();
  rmSync(home, { recursive: true });
});

async function kill(): Promise<void> {
  if (lab.exitCode !== null || lab.signalCode !== null) return;
  const ended = new Promise((resolve) => lab.once('exit', resolve));
  lab.kill('SIGKILL');
  await ended;
}

const emit = (event: Omit<RunEvent, 'at'>, at = 0): void =>
  appendFileSync(path, `${JSON.stringify({ at: new Date(at * 1000).toISOString(), ...event })}\n`);
const begin = (): void =>
  emit({ event: 'run-started', cells: 2, pid: lab.pid!, startTicks: findStartTicks(lab.pid!)! });

/** Follows the run; `seen` is what was printed so far. */
function follow(...more: string[]): { seen: () => string; ended: Promise<Ended> } {
  let stdout = '';
  let stderr = '';
  const words = [join(PROJECT, 'bin/whodunit.mjs'), 'events', '--follow', ...more];
  const env = { ...process.env, npm_lifecycle_event: undefined, WHODUNIT_HOME: home };
  const child = spawn(process.execPath, words, { cwd: PROJECT, env });
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (status) => resolve({ status: status ?? 255, stdout, stderr })),
  );
  return { seen: () => stdout, ended };
}
const waits = { timeout: 170_000 };

describe('lab events', () => {
  it('leads from a run that is not there to those that are', async () => {
    writeFileSync(join(dirname(path), 'result.json'), '{}');
    const { status, stderr } = await runCli(home, ['events', '2031']);
    expect([status, stderr]).toEqual([
      2,
      'error LAB_USAGE: no run "2031" has events\n  try: npx whodunit runs\n',
    ]);
  });

  it('tells a run that ended, with times and how far it was', async () => {
    begin();
    emit({ event: 'world-ready', world: 'default', detail: 'restored' }, 7);
    emit({ event: 'cell-judged', address: 'default/oom', verdict: 'passed' }, 65);
    emit({ event: 'cell-judged', address: 'default/exit', verdict: 'failed' }, 3700);
    emit({ event: 'run-ended' }, 3701);
    const { stdout, status, stderr } = await runCli(home, ['events']);
    expect(stdout).toBe(`00:00:00    +0.0 s  0/2  run-started
00:00:07    +7.0 s  0/2  world-ready      default restored
00:01:05   +1m 05s  1/2  cell-judged      default/oom ✓ passed
01:01:40   +1h 01m  2/2  cell-judged      default/exit ✗ failed
01:01:41   +1h 01m  2/2  run-ended
`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('tells a run that was killed up to where it broke off, and says so', async () => {
    begin();
    emit({ event: 'cell-started', address: 'default/oom' }, 1);
    appendFileSync(path, '{"at":"1970-01-0');
    await kill();
    const { stdout, status, stderr } = await runCli(home, ['events', 'latest', '--json']);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => eventSchema.parse(JSON.parse(line)));
    expect(events.map(({ event }) => event)).toEqual(['run-started', 'cell-started']);
    expect(stderr).toBe(`run ${RUN} broke off here: its process died before the end\n`);
    expect(status).toBe(3);
  });

  it.each([
    [
      ['oom', 'exit'],
      `the events of run ${RUN} break off here; its result has all 2 cells: npx whodunit report ${RUN}`,
      0,
    ],
    [
      ['oom'],
      `run ${RUN} broke off here: its process died before the end; its result has 1 of 2 cells: npx whodunit report ${RUN}`,
      3,
    ],
  ])('without an end says what the result has: %j', async (judged, says, expected) => {
    saveRun(
      { home, run: RUN },
      ['oom', 'exit'],
      judged.map((scenario) => createCell(scenario)),
    );
    begin();
    await kill();
    const { status, stderr } = await runCli(home, ['events', RUN]);
    expect({ status, stderr }).toEqual({ status: expected, stderr: `${says}\n` });
  });

  it.each([
    [['{"at":"1970-01-0"}'], 'line 2 of '],
    [['no JSON', '', '{"at":"1970-01-01T00:00:01.000Z","event":"of-tomorrow"}'], '3 lines of '],
  ])('says which lines are not events: %j', async (lines, says) => {
    begin();
    appendFileSync(path, `${lines.join('\n')}\n`);
    emit({ event: 'run-ended' }, 2);
    const { status, stdout, stderr } = await runCli(home, ['events']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toContain(says);
    expect(stderr).toContain('not an event of this version, and left out');
    expect(status).toBe(0);
  });

  it('says that a run goes on', async () => {
    begin();
    const { status, stderr } = await runCli(home, ['events']);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `run ${RUN} is still running; --follow keeps printing\n`,
    });
  });

  it('of another process with the number of a dead one, knows that it is another', async () => {
    emit({ event: 'run-started', pid: lab.pid!, startTicks: '1' });
    expect((await runCli(home, ['events'])).status).toBe(3);
  });

  it.each([
    [['events', 'nope'], 'no run "nope" has events'],
    [['events'], 'there is no run with events yet'],
  ])('refuses %j where there are none', async (words, message) => {
    const { status, stderr } = await runCli(home, words);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

describe('lab events --follow', () => {
  it('prints events as they come, each line when it is whole, and ends with the run', async () => {
    begin();
    const { seen, ended } = follow();
    await vi.waitUntil(() => seen().includes('run-started'), waits);
    const line = JSON.stringify({
      at: new Date(1000).toISOString(),
      event: 'cell-started',
      address: 'default/oom',
    });
    appendFileSync(path, line.slice(0, 30));
    appendFileSync(path, `${line.slice(30)}\n`);
    await vi.waitUntil(() => seen().includes('cell-started'), waits);
    emit({ event: 'run-ended' }, 2);
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
    expect(seen().trimEnd().split('\n')).toHaveLength(3);
  });

  it('ends when the process of the run dies', async () => {
    begin();
    const { seen, ended } = follow(RUN, '--json');
    await vi.waitUntil(() => seen().includes('run-started'), waits);
    emit({ event: 'cell-started', address: 'default/last-word' });
    await kill();
    const { status, stdout } = await ended;
    expect(stdout).toContain('default/last-word');
    expect(status).toBe(3);
  });

  it('of a run that is over, ends at once', async () => {
    writeFileSync(path, '');
    begin();
    emit({ event: 'run-ended' });
    expect((await follow().ended).status).toBe(0);
  });
});
