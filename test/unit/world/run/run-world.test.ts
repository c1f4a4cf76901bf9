import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { readJson } from '../../../../lab/drivers/files/files.ts';
import { judgeAside } from '../../../../lab/world/run/judge-aside.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { DeclaredStartFailure, HostError } from '../../../../lab/model/errors/errors.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { RunEvent } from '../../../../lab/model/saved/run-event.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import type { Origin } from '../../../../lab/model/saved/origin.ts';
import { runPaths, statePaths } from '../../../../lab/model/host/paths.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import { bringUp } from '../../../../lab/world/bring-up/bring-up.ts';
import { runCell } from '../../../../lab/world/cell/cell.ts';
import { makeArchives } from '../../../../lab/world/cell/deliver-images.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import { restoreWorld } from '../../../../lab/world/restore/restore.ts';
import type { Run } from '../../../../lab/world/run/group-run.ts';
import { createKeptFacts } from '../../../../lab/world/run/kept-facts.ts';
import { runGroup } from '../../../../lab/world/run/run-world.ts';
import { createMutex } from '../../../../lab/world/mutex.ts';
import { beginUse, type PristineWorld } from '../../../../lab/world/world.ts';
import { quietProgress } from '../../../quiet-host.ts';
import { configWith, PROJECT } from '../../project-files.ts';

vi.mock('../../../../lab/world/bring-up/bring-up.ts', () => ({ bringUp: vi.fn() }));
vi.mock('../../../../lab/world/restore/restore.ts', () => ({ restoreWorld: vi.fn() }));
vi.mock('../../../../lab/world/cell/cell.ts', () => ({ runCell: vi.fn() }));
vi.mock('../../../../lab/world/cell/deliver-images.ts', () => ({ makeArchives: vi.fn() }));
vi.mock('../../../../lab/world/run/judge-aside.ts', () => ({ judgeAside: vi.fn() }));

let dir: string;
let results: CellResult[];
/** What a cell was made of, if that was saved when it was judged. */
let made: string[];
let events: Omit<RunEvent, 'at'>[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'whodunit-run-world-'));
  results = [];
  made = [];
  events = [];
  vi.resetAllMocks();
  vi.mocked(judgeAside).mockResolvedValue(judgedAs('passed'));
  // A cell leaves its world used.
  vi.mocked(runCell).mockImplementation((_host, world) => {
    const timings = { deployMs: 0, observeMs: 0, collectMs: 0 };
    return Promise.resolve({ world: beginUse(world), record: { expected: {} }, ...timings } as never);
  });
});
afterEach(() => rmSync(dir, { recursive: true }));

const judgedAs = (verdict: Verdict): Awaited<ReturnType<typeof judgeAside>> =>
  ({ now: { verdict, attribution: {}, claims: [], mismatches: [] }, facts: undefined }) as never;

const world = (): PristineWorld => ({
  record: {} as never,
  guests: [],
  kubernetes: { close: () => undefined } as never,
  phase: 'pristine',
});

const cell = (name: string): PlannedCell =>
  ({
    address: `default/${name}`,
    variant: DEFAULT_VARIANT,
    outcome: {},
    loaded: {
      parameters: {},
      source: { scenario: { name } },
      scenario: { name, victim: { container: 'c' }, images: [], repeat: 1, tolerate: 0 },
    },
  }) as unknown as PlannedCell;

/** Runs cells a, b and c of one world; says what came out as `verdict` and what happened to the world. */
async function runThree(
  more: Partial<PlannedCell> = {},
  runMore: Partial<Run> = {},
): Promise<{ verdicts: string[]; happened: string[] }> {
  const lab = {
    ...configWith(),
    host: {
      projectDir: PROJECT,
      cacheDir: join(dir, 'cache'),
      clock: systemClock,
      signal: new AbortController().signal,
      stateDir: dir,
      progress: quietProgress,
    },
  } as unknown as Lab;
  const run: Run = {
    lab,
    dir,
    oneAtATime: createMutex(),
    cold: false,
    facts: createKeptFacts(),
    lookUp: ({ name, version = '' }) => Promise.resolve({ name, version }),
    isStopped: () => false,
    failFast: false,
    emit: (event) => void events.push(event),
    finish: (result) => {
      results.push(result);
      made.push(...[runPaths(dir).cell(result.address).origin].filter((path) => existsSync(path)));
    },
    ...runMore,
  };
  const demand = { name: 'default', nodes: 1, memoryMiB: 1, vcpus: 1 };
  await runGroup(
    run,
    { demand, variant: DEFAULT_VARIANT, cells: ['a', 'b', 'c'].map((name) => ({ ...cell(name), ...more })) },
    false,
  );
  return {
    verdicts: results.map(({ verdict }) => verdict),
    happened: events.map(({ event }) => event).filter((event) => event.startsWith('world-')),
  };
}

const unhealthy = new HostError('LAB_UNHEALTHY', 'the lease was not renewed');

describe('the cells of one world', () => {
  it('each get it pristine: the first as it came up, the others restored', async () => {
    vi.mocked(bringUp).mockResolvedValue({ world: world(), how: 'built' });
    vi.mocked(restoreWorld).mockImplementation(() => Promise.resolve(world()));
    expect(await runThree()).toEqual({
      verdicts: ['passed', 'passed', 'passed'],
      happened: ['world-started', 'world-ready'],
    });
    expect(restoreWorld).toHaveBeenCalledTimes(2);
    const digests = made.map((path) => (readJson(path) as Origin).scenario.digest);
    expect(new Set(digests).size).toBe(3);
  });

  it.each([
    ['while the evidence is read', {}, ['restored', 'judged', 'restored', 'judged', 'judged']],
    [
      'after the verdict when a failure ends the run',
      { failFast: true },
      ['judged', 'restored', 'judged', 'restored', 'judged'],
    ],
  ])('set it back %s, and not after the last', async (_, runMore, order) => {
    const done: string[] = [];
    vi.mocked(bringUp).mockResolvedValue({ world: world(), how: 'built' });
    vi.mocked(restoreWorld).mockImplementation(() => (done.push('restored'), Promise.resolve(world())));
    vi.mocked(judgeAside).mockImplementation(
      () => (done.push('judged'), Promise.resolve(judgedAs('passed'))),
    );
    await runThree({}, runMore);
    expect(done).toEqual(order);
  });

  it('set it back after their images were made, which may take minutes', async () => {
    const done: string[] = [];
    vi.mocked(bringUp).mockResolvedValue({ world: world(), how: 'built' });
    vi.mocked(restoreWorld).mockImplementation(() => (done.push('restored'), Promise.resolve(world())));
    vi.mocked(makeArchives).mockImplementation(() => (done.push('images'), Promise.resolve([])));
    const { loaded } = cell('a');
    await runThree({
      loaded: {
        ...loaded,
        scenario: {
          ...loaded.scenario,
          images: [{ component: 'supercronic', version: '0.2.30', also: [] } as never],
        },
      },
    });
    expect(done).toEqual(['images', 'images', 'restored', 'images', 'restored']);
  });

  it('close what was set back for a cell that does not come', async () => {
    let closed = 0;
    const kubernetes = { close: () => (closed += 1) } as never;
    vi.mocked(bringUp).mockResolvedValue({ world: world(), how: 'built' });
    vi.mocked(restoreWorld).mockImplementation(() => Promise.resolve({ ...world(), kubernetes }));
    const { verdicts } = await runThree({}, { isStopped: () => results.length > 0 });
    expect(verdicts).toEqual(['passed']);
    expect(closed).toBe(1);
  });

  it('leave their time for later estimates, but not one that was interrupted', async () => {
    vi.mocked(bringUp).mockResolvedValue({ world: world(), how: 'built' });
    vi.mocked(restoreWorld).mockImplementation(() => Promise.resolve(world()));
    vi.mocked(judgeAside)
      .mockResolvedValueOnce(judgedAs('failed'))
      .mockResolvedValueOnce(judgedAs('interrupted'));
    expect((await runThree()).verdicts).toEqual(['failed', 'interrupted', 'passed']);
    const lines = readFileSync(statePaths(dir).timings, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(['a', 'c']);
  });

  it('get it built again when it cannot be restored, and go on', async () => {
    vi.mocked(bringUp).mockImplementation(() => Promise.resolve({ world: world(), how: 'built' as const }));
    vi.mocked(restoreWorld)
      .mockRejectedValueOnce(unhealthy)
      .mockImplementation(() => Promise.resolve(world()));
    expect(await runThree()).toEqual({
      verdicts: ['passed', 'passed', 'passed'],
      happened: ['world-started', 'world-ready', 'world-rebuilt'],
    });
    expect(vi.mocked(bringUp).mock.calls.map(([, , options]) => options.fresh)).toEqual([undefined, true]);
  });

  it('are inconclusive when it fails again after it was built again, and it is not tried a third time', async () => {
    vi.mocked(bringUp).mockImplementation(() => Promise.resolve({ world: world(), how: 'rebuilt' as const }));
    vi.mocked(restoreWorld).mockRejectedValue(unhealthy);
    expect(await runThree()).toEqual({
      verdicts: ['passed', 'inconclusive', 'inconclusive'],
      happened: ['world-started', 'world-ready', 'world-failed'],
    });
    expect(restoreWorld).toHaveBeenCalledTimes(1);
    expect(results[2]?.note).toContain('the lease was not renewed');
  });

  it('are inconclusive when it does not come up, after what was half-built is gone', async () => {
    let undone = false;
    vi.mocked(bringUp).mockImplementation((lab) => {
      lab.undo.register('remove it', () => Promise.resolve(void (undone = true)), { timeoutMs: 1000 });
      return Promise.reject(new HostError('LAB_DISK', 'no room'));
    });
    const { verdicts, happened } = await runThree();
    expect(verdicts).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
    expect(happened).toEqual(['world-started', 'world-failed']);
    expect(undone).toBe(true);
  });

  it('are skipped by the rule when it does not start pods, as declared', async () => {
    const facts = {
      world: 'default',
      rule: 'no-start',
      reason: 'why',
      source: 'https://x',
      text: 'line',
      seen: 'the line',
    };
    vi.mocked(bringUp).mockRejectedValue(new DeclaredStartFailure(facts));
    expect((await runThree()).verdicts).toEqual(['skipped', 'skipped', 'skipped']);
    expect(results[0]?.note).toBe('no-start: why (https://x); seen: the line');
    const seen = { id: 'no-start', text: 'line', seen: 'the line' };
    expect(results[0]?.startFailure).toEqual({ ...seen, expected: false });
    results = [];
    const bug = { id: 'a-bug', fixed: { killer: 'none' } } as const;
    await runThree({ startFailure: 'no-start', bug });
    expect(results[0]).toMatchObject({
      startFailure: { ...seen, expected: true },
      bug: { id: 'a-bug', state: 'shows' },
    });
  });
});
