import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { DEFAULT_VARIANT, variantName } from '../../../../lab/model/axes/axes.ts';
import { CommandError, HostError } from '../../../../lab/model/errors/errors.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import type { PlannedCell } from '../../../../lab/plan/cells/plan-cells.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import type { Demand } from '../../../../lab/world/host/admission.ts';
import { parkWorlds } from '../../../../lab/world/run/capacity.ts';
import { runCells } from '../../../../lab/world/run/run-cells.ts';
import { unseenResult } from '../../../../lab/world/run/unseen-cell.ts';
import { quietProgress } from '../../../quiet-host.ts';

vi.mock('../../../../lab/world/host/accelerator.ts', () => ({
  proveAccelerator: () => Promise.resolve({ accelerator: 'kvm' }),
}));
vi.mock('../../../../lab/world/run/capacity.ts', () => ({
  demandOf: (_lab: unknown, name: string) => ({ name, nodes: 1, memoryMiB: 1, vcpus: 1 }),
  openClaims: () => ({ decide: (work: () => unknown) => Promise.resolve(work()), listOthers: () => [] }),
  claimWorld: () => () => undefined,
  listOccupants: (_dir: string, { busy }: { busy: readonly Demand[] }) =>
    busy.map((demand) => ({ ...demand, residentMiB: 1, use: 'busy', neededLater: false })),
  readCapacity: () => ({ availableMiB: 8192, overheadMiB: 0, vcpus: 2, worlds: 1 }),
  parkWorlds: vi.fn(),
}));
vi.mock('../../../../lab/world/run/run-world.ts', () => ({
  giveUp: vi.fn(),
  runGroup: (run: { finish(result: CellResult): void }, group: { cells: PlannedCell[] }) => {
    for (const cell of group.cells) run.finish({ ...unseenResult(dir, cell, 'interrupted', ''), verdict });
    return Promise.resolve();
  },
}));

/** What becomes of every cell that is run. */
let verdict: 'passed' | 'failed' = 'passed';
let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'whodunit-run-cells-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const cellOf = (world: string): PlannedCell =>
  ({
    address: `${world}/a`,
    estimateSeconds: 20,
    variant: { ...DEFAULT_VARIANT, ...(world === 'v1' ? { cgroup: 'v1' } : {}) },
    outcome: {},
    loaded: { parameters: {}, scenario: { name: 'a', victim: { container: 'c' } } },
  }) as unknown as PlannedCell;

/** Runs a cell of the default world and one of v1; the first world fails to be parked. */
async function runTwo(failure: Error, isInterrupted: boolean): Promise<{ ended: unknown; notes: string[] }> {
  const abort = new AbortController();
  vi.mocked(parkWorlds).mockImplementation((_lab, names) => {
    if (names.length === 0) return Promise.resolve();
    if (isInterrupted) abort.abort();
    return Promise.reject(failure);
  });
  const results: CellResult[] = [];
  const host = { clock: systemClock, signal: abort.signal, stateDir: dir, progress: quietProgress };
  const cells = [cellOf('default'), cellOf('v1')];
  const ended = await runCells({ host } as unknown as Lab, dir, cells, {
    worlds: cells.map(({ variant }) => ({
      name: variantName(variant),
      variant,
      way: 'built' as const,
      why: '',
    })),
    onResult: (result) => results.push(result),
    estimateSeconds: 60,
  }).catch((error: unknown) => error);
  return {
    ended,
    notes: results.map(({ address, verdict, note }) => `${address} ${verdict}: ${note ?? ''}`),
  };
}

describe('cells that a run does not come to', () => {
  it.each([true, false])('are not started when another one failed, with failFast: %j', async (failFast) => {
    vi.mocked(parkWorlds).mockResolvedValue();
    verdict = 'failed';
    const results: CellResult[] = [];
    const host = {
      clock: systemClock,
      signal: new AbortController().signal,
      stateDir: dir,
      progress: quietProgress,
    };
    const cells = [cellOf('default'), cellOf('v1')];
    const worlds = cells.map(({ variant }) => ({
      name: variantName(variant),
      variant,
      way: 'built' as const,
      why: '',
    }));
    await runCells({ host } as unknown as Lab, dir, cells, {
      failFast,
      estimateSeconds: 1,
      worlds,
      onResult: (result) => results.push(result),
    });
    verdict = 'passed';
    expect(results.map(({ verdict: ended, note }) => [ended, note])).toEqual([
      ['failed', ''],
      failFast ? ['interrupted', 'not started: another cell failed (--fail-fast)'] : ['failed', ''],
    ]);
  });

  it('are interrupted when Ctrl-C stops the program that parks a world', async () => {
    const stopped = new CommandError({ command: 'virsh destroy', failure: 'aborted', tail: '' });
    expect(await runTwo(stopped, true)).toEqual({
      ended: undefined,
      notes: ['default/a passed: ', 'v1/a interrupted: the run was interrupted before this cell'],
    });
  });

  it('are told with the failure that broke the run off', async () => {
    const failure = new HostError('LAB_LIBVIRT', 'libvirt went away');
    expect(await runTwo(failure, false)).toEqual({
      ended: failure,
      notes: [
        'default/a passed: ',
        'v1/a interrupted: the run broke off before this cell: libvirt went away',
      ],
    });
  });
});
