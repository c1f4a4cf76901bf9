import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  errorSchema,
  explainSchema,
  killersSchema,
  listSummarySchema,
  newSchema,
  runsSchema,
  scenariosSchema,
  statusSchema,
  whySchema,
} from '../../lab/model/saved/answers.ts';
import { listSchema, type RunResult } from '../../lab/model/saved/formats.ts';
import { copyProject } from './support/project-copy.ts';
import { PROJECT, runCli, type Ended } from './support/run-cli.ts';

const RUN = '20250101-0900-before';
const ADDRESS = 'default/sigkill-beside-an-oom';

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-asking-'));
  home = join(folder, 'state');
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const ask = (...words: string[]): Promise<Ended> => runCli(home, words);
const askJson = async (...words: string[]): Promise<unknown> =>
  JSON.parse((await ask(...words, '--json')).stdout);

/** Saves another run, of which one cell failed. */
function saveFailedRun(id: string): void {
  const result = JSON.parse(readFileSync(join(home, 'runs', RUN, 'result.json'), 'utf8')) as RunResult;
  const [cell] = result.cells;
  if (cell === undefined) throw new Error('the saved run has no cell');
  const failed = {
    ...cell,
    address: 'default/plain-exit',
    scenario: 'plain-exit',
    verdict: 'failed' as const,
  };
  const saved: RunResult = {
    ...result,
    run: id,
    startedAt: '2026-01-01T09:00:00.000Z',
    totals: { passed: 1, failed: 1, inconclusive: 0, skipped: 0, interrupted: 0 },
    cells: [cell, failed],
  };
  mkdirSync(join(home, 'runs', id), { recursive: true });
  writeFileSync(join(home, 'runs', id, 'result.json'), JSON.stringify(saved));
}

describe('whodunit status', () => {
  it('tells worlds, runs, cache and who is at work, in both forms', async () => {
    mkdirSync(join(home, 'worlds/v1'), { recursive: true });
    const status = statusSchema.parse(await askJson('status'));
    expect(status).toMatchObject({
      folder: home,
      lock: null,
      runs: { count: 1 },
      worlds: [{ name: 'v1', state: 'unreadable', nodes: 0 }],
    });
    expect(status.runs.diskBytes).toBeGreaterThan(0);
    const { stdout } = await ask('status');
    expect(stdout).toMatch(/^v1 +cannot be read by this version/m);
    expect(stdout).toContain('\nno lab is running\n');
  });
});

describe('saved runs', () => {
  it('are listed newest first, also one that cannot be read', async () => {
    saveFailedRun('20260101-0900-later');
    mkdirSync(join(home, 'runs/20270101-0900-cut'));
    const { runs } = runsSchema.parse(await askJson('runs'));
    expect(runs).toMatchObject([
      { run: '20270101-0900-cut', problem: 'has no result' },
      { run: '20260101-0900-later', totals: { failed: 1 } },
      { run: RUN, totals: { passed: 1 } },
    ]);
    expect((await ask('runs')).stdout).toMatch(/^20260101-0900-later .* 1 passed, 1 failed/m);
  });

  it.each([
    ['why', ADDRESS, '--run', '2025'],
    ['why', '2025'],
    ['why', 'latest'],
    ['report', '2025'],
    ['report', 'latest'],
    ['judge', '2025'],
    ['judge', 'latest'],
  ])('are named by latest and by the beginning of an id: %j', async (...words) => {
    const { status, stdout } = await ask(...words);
    expect(stdout).toContain('external-signal');
    expect(status).toBe(0);
  });

  it('are refused when several begin so', async () => {
    saveFailedRun('20250102-0900-later');
    const { status, stderr } = await ask('report', '2025');
    expect(stderr).toContain('2 runs begin with "2025"');
    expect(status).toBe(2);
  });

  it('lead why to the first cell that failed', async () => {
    saveFailedRun('20260101-0900-later');
    const { run, cell } = whySchema.parse(await askJson('why', 'latest'));
    expect([run, cell.address]).toEqual(['20260101-0900-later', 'default/plain-exit']);
  });

  it('give run their failed cells', async () => {
    expect((await ask('run', '--last-failed', '--dry-run')).stdout).toBe(
      `nothing failed in run ${RUN}\nnext: npx whodunit report ${RUN}\n`,
    );
    saveFailedRun('20260101-0900-later');
    const { cells } = listSchema.parse(await askJson('run', '--last-failed', '--dry-run'));
    expect(cells.map(({ address }) => address)).toEqual(['default/plain-exit']);
    const { stdout } = await ask('run', '--last-failed', '--dry-run');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('next: npx whodunit run --last-failed');
  });
});

describe('catalogues', () => {
  it('have a JSON form of the documented format', async () => {
    const { killers } = killersSchema.parse(await askJson('killers'));
    expect(killers.find(({ name }) => name === 'memcg-oom')?.hows).toContain('group-kill');
    const { scenarios } = scenariosSchema.parse(await askJson('scenarios', 'oom-single-*'));
    expect(scenarios).toMatchObject([{ name: 'oom-single-container', killer: 'memcg-oom' }]);
    const summary = listSummarySchema.parse(await askJson('list', 'set=full', '--summary'));
    expect(summary.worlds.reduce((cells, world) => cells + world.cells, 0)).toBe(summary.totals.cells);
    expect(summary.skipped.reduce((cells, rule) => cells + rule.cells, 0)).toBe(summary.totals.skipped);
  });

  it.each([
    ['cgroup', 'axis', 'cgroup hierarchy'],
    ['v1-needs-memcg-v1', 'rule', 'MEMCG_V1'],
    ['memcg-oom', 'killer', 'proof: '],
    ['withinSeconds', 'field of scenario', 'The death must be seen'],
    ['LAB_BUSY', 'error, exit code 3', 'Another lab uses'],
    ['group-kill', 'way of memcg-oom', 'do: '],
    ['plain-exit', 'scenario', 'to see it fail'],
    ['deaths', 'set', '--summary'],
    ['137', 'exit code of a container', 'memcg-oom'],
    ['139', 'exit code of a container', 'self-signal'],
    ['143', 'exit code of a container', 'api-deletion'],
    ['OOMKilled', 'reason', 'memcg-oom'],
    ['Error', 'reason', 'external-signal'],
    ['CrashLoopBackOff', 'reason of a waiting container', 'liveness-probe'],
    ['CONSTRAINT_MEMCG', 'word of the kernel', 'memcg-oom'],
    ['Memory cgroup out of memory', 'line of the kernel', 'memcg-oom'],
    ['signal: killed', 'words of programs in Go', 'who-gets-killed.md'],
    ['FailedCreatePodSandBox', 'reason of an event', 'sandbox-died'],
    ['ContainerStatusUnknown', 'reason', 'who-gets-killed.md'],
  ])('explain %s', async (word, kind, text) => {
    const { entries } = explainSchema.parse(await askJson('explain', word));
    const found = entries.find((entry) => entry.kind === kind);
    expect(found?.text.join('\n'), JSON.stringify(entries)).toContain(text);
    expect((await ask('explain', word)).stdout).toContain(`${found?.name} (${kind})\n`);
  });
});

describe('whodunit new', () => {
  it.each([
    ['scenario', 'my-scenario', ['list', 'my-scenario'], 'default/my-scenario'],
    ['bug', 'my-bug', ['repro', 'my-bug', '--dry-run'], 'v1/my-bug'],
  ])('writes a %s that passes every check', async (kind, name, next, cell) => {
    const project = copyProject(folder);
    const made = await project.run(['new', kind, name, '--json']);
    expect(made.stderr).toBe('');
    expect(newSchema.parse(JSON.parse(made.stdout)).files.join()).toContain(name);
    const listed = await project.run(next);
    expect(listed.stderr).toBe('');
    expect(listed.stdout).toContain(cell);
    const again = await project.run(['new', kind, name]);
    expect(again.stderr).toContain('already exists');
    expect(again.status).toBe(2);
  });
});

describe('a verb that fails with --json', () => {
  it('says so as JSON on standard output, and as text on standard error', async () => {
    const { status, stdout, stderr } = await ask('list', 'cgroup=v3', '--json');
    const { error } = errorSchema.parse(JSON.parse(stdout));
    expect(error).toMatchObject({ code: 'LAB_USAGE', exitCode: 2 });
    expect(error.message).toContain('cgroup has no value "v3"');
    expect(stderr).toContain('error LAB_USAGE: ');
    expect(status).toBe(2);
  });
});

describe('standard output', () => {
  it('that cannot be written is an error', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, ['bin/whodunit.mjs', 'killers'], {
      cwd: PROJECT,
      stdio: ['ignore', full, 'pipe'],
      env: { ...process.env, WHODUNIT_HOME: home, npm_lifecycle_event: undefined },
    });
    closeSync(full);
    expect(stderr.toString()).toContain('error LAB_OUTPUT: standard output could not be written');
    expect(status).toBe(3);
  });

  it('that is closed early is none', () => {
    const line = `"${process.execPath}" bin/whodunit.mjs scenarios | head -1; echo "\${PIPESTATUS[0]}"`;
    const env = { ...process.env, WHODUNIT_HOME: home, npm_lifecycle_event: undefined };
    const answer = execFileSync('bash', ['-c', line], { cwd: PROJECT, env }).toString();
    expect(answer.split('\n')[1]).toBe('0');
  });
});
