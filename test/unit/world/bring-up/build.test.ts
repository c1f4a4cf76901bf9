import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../lab/model/host/host.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { runSteps, startSteps, type StepList } from '../../../../lab/world/steps/build-step.ts';
import { BUILD_STEPS } from '../../../../lab/world/bring-up/build.ts';
import { initCluster } from '../../../../lab/world/steps/init-cluster.ts';
import { makeMachines } from '../../../../lab/world/steps/make-machines.ts';
import { reserveWorld } from '../../../../lab/world/steps/reserve-world.ts';
import { createFakeLab, inputOf } from '../fake-world.ts';
import { quietProgress } from '../../../quiet-host.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'whodunit-build-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const failure = new Error('it broke off');

/** The steps of a build, of which none does anything but the one that fails. */
function stepsThatFailAt(failing: string | undefined, undone: string[]): StepList<unknown> {
  const steps = BUILD_STEPS.steps.map((step) => ({
    ...step,
    run: (_lab: unknown, world: unknown) =>
      step.name === failing ? Promise.reject(failure) : Promise.resolve(world),
    ...(step.undo === undefined
      ? {}
      : { undo: { ...step.undo, run: async () => void undone.push(step.undo?.title ?? '') } }),
  }));
  return { ...BUILD_STEPS, steps } as unknown as StepList<unknown>;
}

const FOLDER = 'remove the folder of';
const MACHINES = 'remove the machines of';

describe('a build', () => {
  it.each([
    ['reserve', [FOLDER]],
    ['machines', [MACHINES, FOLDER]],
    ['boot', [MACHINES, FOLDER]],
    ['probes', [MACHINES, FOLDER]],
    ['kubeadm', [MACHINES, FOLDER]],
    ['join', [MACHINES, FOLDER]],
    ['cluster', [MACHINES, FOLDER]],
    ['settle', [MACHINES, FOLDER]],
    ['snapshot', [MACHINES, FOLDER]],
  ])('that fails at %s takes back what began, last first', async (name, expected) => {
    const undone: string[] = [];
    const lab = createFakeLab(folder);
    const steps = stepsThatFailAt(name, undone);
    await expect(runSteps(lab, steps, inputOf({ nodes: '1+1' }), { keep: false })).rejects.toBe(failure);
    await lab.undo.run(quietProgress);
    expect(undone).toEqual(expected);
  });

  it('takes nothing back when it is to be kept', async () => {
    const undone: string[] = [];
    const lab = createFakeLab(folder);
    const steps = stepsThatFailAt('settle', undone);
    await expect(runSteps(lab, steps, inputOf(), { keep: true })).rejects.toBe(failure);
    await lab.undo.run(quietProgress);
    expect(undone).toEqual([]);
  });

  it('has a time for each step, of which a node alone does not need every one', async () => {
    const timesOf = async (nodes: string): Promise<string[]> => {
      const all = runSteps(createFakeLab(folder), stepsThatFailAt(undefined, []), inputOf({ nodes }), {
        keep: true,
      });
      return Object.keys((await all).timings);
    };
    const alone = [
      'reserveMs',
      'machinesMs',
      'bootMs',
      'probesMs',
      'kubeadmMs',
      'clusterMs',
      'settleMs',
      'snapshotMs',
    ];
    expect(await timesOf('1')).toEqual(alone);
    expect(await timesOf('1+1')).toEqual(alone.toSpliced(5, 0, 'joinMs'));
  });

  it('cannot be put together in another order', () => {
    // @ts-expect-error kubeadm needs nodes that answer
    startSteps().next(reserveWorld).next(initCluster);
  });
});

describe('a world whose machines could not be made', () => {
  const steps = startSteps().next(reserveWorld).next(makeMachines);
  const done = { status: 0, stdout: '', stderr: '', durationMs: 0 };
  /** A host with a libvirt in which nothing is left, and no program that could make a machine. */
  const runOf =
    (virsh: () => Promise<typeof done>): Host['run'] =>
    (program) =>
      program === 'virsh' ? virsh() : Promise.reject(failure);

  it('was leased before, and leaves neither a lease nor a folder', async () => {
    const lab = createFakeLab(folder, { host: { run: runOf(() => Promise.resolve(done)) } });
    await expect(runSteps(lab, steps, inputOf({ nodes: '1+1' }), { keep: false })).rejects.toBe(failure);
    const { dir } = statePaths(lab.host.stateDir).world('1+1');
    const leased = new Set(lab.leases.open().map(({ kind }) => kind));
    expect([...leased]).toEqual(['folder', 'port', 'terraform', 'pool', 'domain']);
    expect(existsSync(dir)).toBe(true);
    expect(await lab.undo.run(quietProgress)).toEqual([]);
    expect(lab.leases.open()).toEqual([]);
    expect(existsSync(dir)).toBe(false);
  });

  it('keeps folder and leases for another try when libvirt does not let them go', async () => {
    const run = runOf(() => Promise.reject(new Error('no answer')));
    const lab = createFakeLab(folder, { host: { run } });
    await expect(runSteps(lab, steps, inputOf(), { keep: false })).rejects.toBe(failure);
    const leased = lab.leases.open();
    expect(await lab.undo.run(quietProgress)).toMatchObject([
      { title: 'remove the machines of default', error: { message: 'no answer' } },
      { title: 'remove the folder of default', error: { code: 'LAB_LIBVIRT' } },
    ]);
    expect(lab.leases.open()).toEqual(leased);
    expect(existsSync(statePaths(lab.host.stateDir).world('default').record)).toBe(true);
  });
});
