import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { DeclaredStartFailure, HostError } from '../../../../lab/model/errors/errors.ts';
import { runPaths } from '../../../../lab/model/host/paths.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { RunEvent } from '../../../../lab/model/saved/run-event.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import { bringUp } from '../../../../lab/world/bring-up/bring-up.ts';
import { runCell } from '../../../../lab/world/cell/cell.ts';
import { forkLane } from '../../../../lab/world/derive/fork-lane.ts';
import type { Demand } from '../../../../lab/world/host/admission.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import { restoreWorld } from '../../../../lab/world/restore/restore.ts';
import { runCells, type RunOptions } from '../../../../lab/world/run/run-cells.ts';
import { beginUse, type PristineWorld, type UsedWorld } from '../../../../lab/world/world.ts';
import { quietProgress } from '../../../quiet-host.ts';
import { configWith, PROJECT } from '../../project-files.ts';

vi.mock('../../../../lab/world/host/accelerator.ts', () => ({
  proveAccelerator: () => Promise.resolve({ accelerator: 'tcg' }),
}));
vi.mock('../../../../lab/world/run/capacity.ts', () => ({
  demandOf: (_lab: unknown, name: string) => ({ name, nodes: 1, memoryMiB: 1, vcpus: 2 }),
  openClaims: () => ({ decide: (work: () => unknown) => Promise.resolve(work()), listOthers: () => [] }),
  claimWorld: () => () => undefined,
  listOccupants: (_dir: string, { busy }: { busy: readonly Demand[] }) =>
    busy.map((demand) => ({ ...demand, residentMiB: 1, use: 'busy', neededLater: false })),
  readCapacity: () => ({ availableMiB: 8192, overheadMiB: 0, vcpus: cpus }),
  parkWorlds: () => Promise.resolve(),
}));
vi.mock('../../../../lab/world/bring-up/bring-up.ts', () => ({ bringUp: vi.fn() }));
vi.mock('../../../../lab/world/derive/fork-lane.ts', () => ({ forkLane: vi.fn() }));
vi.mock('../../../../lab/world/restore/restore.ts', () => ({ restoreWorld: vi.fn() }));
vi.mock('../../../../lab/world/cell/cell.ts', () => ({ runCell: vi.fn() }));
vi.mock('../../../../lab/world/run/judge-aside.ts', () => ({
  judgeAside: () =>
    Promise.resolve({
      now: { verdict: 'passed', attribution: {}, claims: [], mismatches: [] },
      facts: undefined,
    }),
}));

let dir: string;
let cpus: number;
let abort: AbortController;
/** Names of the worlds and lanes whose machines are there. */
let there: Set<string>;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'whodunit-run-cells-lanes-'));
  cpus = 8;
  abort = new AbortController();
  there = new Set();
  vi.resetAllMocks();
  vi.mocked(bringUp).mockImplementation(() =>
    Promise.resolve({ world: worldNamed('default'), how: 'restored' as const }),
  );
  vi.mocked(forkLane).mockImplementation((lab, _variant, lane) => fork(lab, lane));
  vi.mocked(restoreWorld).mockImplementation((_lab, { record }) => Promise.resolve(worldNamed(record.name)));
  vi.mocked(runCell).mockImplementation((_lab, world) => endCell(world));
});
afterEach(() => rmSync(dir, { recursive: true }));

const worldNamed = (name: string): PristineWorld => ({
  record: { name } as never,
  guests: [],
  kubernetes: { close: () => undefined } as never,
  phase: 'pristine',
});

/** A lane whose undo removes what was made, as that of the steps does. */
function fork({ undo }: Lab, lane: number): Promise<PristineWorld> {
  const name = `lane ${lane}`;
  undo.register('remove it', () => Promise.resolve(void there.delete(name)), { timeoutMs: 1000 });
  there.add(name);
  return Promise.resolve(worldNamed(name));
}

/** A cell leaves its world used, and takes a moment, in which other lanes go on. */
async function endCell(world: PristineWorld): Promise<never> {
  await new Promise((resume) => setTimeout(resume, 1));
  return {
    world: beginUse(world) satisfies UsedWorld,
    record: { expected: {} },
    deployMs: 0,
    observeMs: 0,
    collectMs: 0,
  } as never;
}

const cellOf = (name: string, estimateSeconds: number): PlannedCell =>
  ({
    address: `default/${name}`,
    estimateSeconds,
    variant: DEFAULT_VARIANT,
    outcome: {},
    loaded: {
      parameters: {},
      source: { scenario: { name } },
      scenario: { name, victim: { container: 'c' }, images: [], repeat: 1, tolerate: 0 },
    },
  }) as unknown as PlannedCell;

const CELLS = [cellOf('a', 10), cellOf('b', 90), cellOf('c', 20), cellOf('d', 60), cellOf('e', 30)];

/** What decides how many lanes run at once. */
type LaneOptions = Pick<RunOptions, 'parallel' | 'givenLanes'>;

/** Runs five cells of one world in lanes. */
async function runIn(
  lanes: number,
  more: LaneOptions = {},
): Promise<{ results: CellResult[]; events: RunEvent[] }> {
  const host = {
    projectDir: PROJECT,
    cacheDir: join(dir, 'cache'),
    clock: systemClock,
    signal: abort.signal,
    stateDir: dir,
    progress: quietProgress,
  };
  const results: CellResult[] = [];
  await runCells({ ...configWith(), host } as unknown as Lab, dir, CELLS, {
    worlds: [{ name: 'default', variant: DEFAULT_VARIANT, way: 'restored', why: '', lanes }],
    onResult: (result) => results.push(result),
    estimateSeconds: 220,
    ...more,
  });
  const lines = readFileSync(runPaths(dir).events, 'utf8').trim().split('\n');
  return { results, events: lines.map((line) => JSON.parse(line) as RunEvent) };
}

const verdictsOf = (results: readonly CellResult[]): string[] =>
  results.map(({ address, verdict }) => `${address} ${verdict}`).sort();
const ALL_PASSED = CELLS.map(({ address }) => `${address} passed`);

/** What happened to worlds and lanes, in its order. */
const worldsOf = (events: readonly RunEvent[]): string[] =>
  events
    .filter(({ world }) => world !== undefined)
    .map(({ event, world, lane }) => `${event} ${world ?? ''}${lane === undefined ? '' : ` ${lane}`}`);

const failed = new HostError('LAB_DISK', 'no room');

describe('cells in lanes', () => {
  it('are each judged once, the longest first, in forks of a world that came up before', async () => {
    const { results, events } = await runIn(2);
    expect(verdictsOf(results)).toEqual(ALL_PASSED);
    expect(worldsOf(events)).toEqual([
      'world-started default',
      'world-ready default',
      'world-started default 1',
      'world-started default 2',
      'world-ready default 1',
      'world-ready default 2',
    ]);
    const begun = events.filter(({ event }) => event === 'cell-started').map(({ address }) => address);
    expect(begun).toEqual(['b', 'd', 'e', 'c', 'a'].map((name) => `default/${name}`));
    expect(bringUp).toHaveBeenCalledTimes(1);
  });

  it('name their lane in each event', async () => {
    const { events } = await runIn(3);
    const ofCells = events.filter(({ address }) => address !== undefined);
    expect(ofCells.filter(({ lane }) => lane === undefined)).toEqual([]);
    expect(new Set(ofCells.map(({ lane }) => lane))).toEqual(new Set([1, 2, 3]));
    for (const { address } of CELLS)
      expect(new Set(ofCells.filter((event) => event.address === address).map(({ lane }) => lane)).size).toBe(
        1,
      );
  });

  it('are run without any lane in the events where there is one', async () => {
    const { results, events } = await runIn(1);
    expect(verdictsOf(results)).toEqual(ALL_PASSED);
    expect(events.filter((event) => 'lane' in event)).toEqual([]);
    expect(forkLane).not.toHaveBeenCalled();
    const begun = events.filter(({ event }) => event === 'cell-started').map(({ address }) => address);
    expect(begun).toEqual(CELLS.map(({ address }) => address));
  });

  it.each<[string, number, LaneOptions, number]>([
    ['as many as the CPUs admit, where the host decides', 4, {}, 2],
    ['all that somebody asked for, whatever the CPUs', 4, { givenLanes: true }, 4],
    ['beside each other with --parallel 1: they are one world', 2, { parallel: 1 }, 3],
  ])('are run by %s', async (_, asked, more, most) => {
    cpus = more.parallel === undefined ? 4 : 99;
    let [busy, seen] = [0, 0];
    vi.mocked(runCell).mockImplementation(async (_lab, world) => {
      seen = Math.max(seen, (busy += 1));
      const ended = await endCell(world);
      busy -= 1;
      return ended;
    });
    expect(verdictsOf((await runIn(Math.max(asked, most), more)).results)).toEqual(ALL_PASSED);
    expect(seen).toBe(most);
  });

  it('are run by the other lanes when one cannot be forked', async () => {
    vi.mocked(forkLane).mockImplementation(async (lab, _variant, lane) => {
      const world = await fork(lab, lane);
      if (lane === 2) throw failed;
      return world;
    });
    const { results, events } = await runIn(2);
    expect(verdictsOf(results)).toEqual(ALL_PASSED);
    expect(worldsOf(events)).toContain('world-failed default 2');
    expect([...there]).toEqual([]);
  });

  it('cost one of them a verdict when a lane dies: the others run what it would have taken', async () => {
    vi.mocked(restoreWorld).mockImplementation((_lab, { record }) =>
      record.name === 'lane 2' ? Promise.reject(failed) : Promise.resolve(worldNamed(record.name)),
    );
    vi.mocked(forkLane).mockImplementation((lab, _variant, lane) =>
      lane === 2 && vi.mocked(forkLane).mock.calls.length > 2 ? Promise.reject(failed) : fork(lab, lane),
    );
    const { results, events } = await runIn(2);
    const lost = results.filter(({ verdict }) => verdict !== 'passed');
    expect(results).toHaveLength(CELLS.length);
    expect(lost.map(({ verdict, note }) => [verdict, note])).toEqual([
      ['inconclusive', 'the world could not be restored: no room'],
    ]);
    expect(worldsOf(events).slice(-2)).toEqual(['world-rebuilt default 2', 'world-failed default 2']);
    expect([...there]).toEqual([]);
  });

  it('go on in a lane that is forked again, once', async () => {
    let fails = 1;
    vi.mocked(restoreWorld).mockImplementation((_lab, { record }) =>
      fails-- > 0 ? Promise.reject(failed) : Promise.resolve(worldNamed(record.name)),
    );
    expect(verdictsOf((await runIn(2)).results)).toEqual(ALL_PASSED);
    expect(forkLane).toHaveBeenCalledTimes(3);
    expect([...there]).toEqual([]);
  });

  it.each<[string, () => void, string]>([
    ['no lane can be forked', () => void vi.mocked(forkLane).mockRejectedValue(failed), 'no room'],
    ['their world does not come up', () => void vi.mocked(bringUp).mockRejectedValue(failed), 'no room'],
  ])('are all inconclusive when %s', async (_, arrange, why) => {
    arrange();
    const { results } = await runIn(3);
    expect(results.map(({ verdict, note }) => `${verdict}: ${note ?? ''}`)).toEqual(
      CELLS.map(() => `inconclusive: its world did not come up: ${why}`),
    );
  });

  it('are skipped when their world is declared to start no pods, and no lane is forked', async () => {
    const facts = { rule: 'no-start', reason: 'why', source: 'https://x', text: 'line', seen: 'the line' };
    vi.mocked(bringUp).mockRejectedValue(new DeclaredStartFailure({ world: 'default', ...facts }));
    const { results } = await runIn(3);
    expect(results.map(({ verdict }) => verdict)).toEqual(CELLS.map(() => 'skipped'));
    expect(forkLane).not.toHaveBeenCalled();
  });

  it('leave no lane behind, also after an interrupt', async () => {
    vi.mocked(runCell).mockImplementation(async (_lab, world) => {
      const ended = await endCell(world);
      abort.abort();
      return ended;
    });
    const { results } = await runIn(2);
    expect(results).toHaveLength(CELLS.length);
    expect(results.filter(({ verdict }) => verdict === 'interrupted').length).toBeGreaterThan(0);
    expect([...there]).toEqual([]);
  });
});
