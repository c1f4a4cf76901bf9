import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPortRegister } from '../../../../lab/drivers/claims/lease-ports.ts';
import { readJson, writeJsonAtomic } from '../../../../lab/drivers/files/files.ts';
import { openLeaseBook } from '../../../../lab/drivers/claims/leases.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { forkLane } from '../../../../lab/world/derive/fork-lane.ts';
import { findLeasedGarbage } from '../../../../lab/world/host/garbage.ts';
import type { Lab } from '../../../../lab/world/lab.ts';
import { makeMachines } from '../../../../lab/world/steps/make-machines.ts';
import { worldRecordSchema, type ReadyRecord } from '../../../../lab/world/world-record.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

vi.mock('../../../../lab/world/steps/make-machines.ts', () => ({
  makeMachines: { name: 'machines', title: 'machines', run: vi.fn() },
}));
vi.mock('../../../../lab/world/derive/fork-machines.ts', async (load) => ({
  ...(await load<object>()),
  forkMachines: () => ({
    name: 'fork',
    title: 'fork',
    run: (_lab: unknown, world: object) => Promise.resolve({ ...world, guests: [], kubernetes: {} }),
  }),
}));
vi.mock('../../../../provision/layers/image.ts', async (load) => ({
  ...(await load<object>()),
  findImageIn: (_host: unknown, dir: string) =>
    dir === '/image' ? { dir, digest: 'of its files' } : undefined,
}));

let folder: string;
let lab: Lab;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-fork-lane-'));
  lab = createFakeLab(folder);
  vi.mocked(makeMachines.run).mockImplementation((_lab, world) => Promise.resolve(world));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A saved world of the default variant. */
function saveParent(nodes: string, more: Partial<ReadyRecord> = {}): ReadyRecord {
  const { record } = clusterOf({ nodes }, { guests: [], kubernetes: {} as never });
  const lan = nodes === '1' ? {} : { lan: { group: '239.1.2.3', port: 4000, identity: 'whodunit-a-parent' } };
  const parent: ReadyRecord = {
    ...record,
    ...lan,
    image: { digest: 'd', dir: '/image', sshKey: '/key', hostKey: 'ssh-ed25519 A' },
    nodes: record.nodes.map((node) => ({ ...node, leaseRenewedAt: '2026-11-27T20:00:00Z' })),
    state: 'ready',
    restarts: 3,
    ...more,
  };
  const paths = statePaths(lab.host.stateDir).world(parent.name);
  mkdirSync(paths.dir, { recursive: true });
  writeJsonAtomic(paths.record, parent);
  return parent;
}

const pathsOf = (name: string) => statePaths(lab.host.stateDir).world(name);

describe('a lane', () => {
  it.each(['1', '1+1'])('is its world under a name and on ports of its own, with %s nodes', async (nodes) => {
    const parent = saveParent(nodes);
    const forked = await Promise.all([1, 2].map((lane) => forkLane(lab, parent.variant, lane)));
    for (const [index, { record, phase }] of forked.entries()) {
      expect(phase).toBe('pristine');
      expect(record).toMatchObject({ name: `${parent.name}.lane-${index + 1}`, lane: index + 1 });
      // What the health gate and the cells compare it with.
      const { key, image, variant, restarts } = parent;
      expect(record).toMatchObject({ key, image, variant, restarts, state: 'ready' });
      expect(record.nodes.map(({ leaseRenewedAt }) => leaseRenewedAt)).toEqual(
        parent.nodes.map(({ leaseRenewedAt }) => leaseRenewedAt),
      );
      // Its memory holds the addresses of cards and the machine ids.
      expect(record.lan?.identity).toBe(parent.lan?.identity);
    }
    const records = [parent, ...forked.map(({ record }) => record)];
    const ports = records.flatMap(({ nodes: all }) =>
      all.flatMap(({ sshPort, apiPort }) => [sshPort, apiPort ?? -sshPort]),
    );
    expect(new Set(ports).size).toBe(ports.length);
    const domains = records.flatMap(({ nodes: all }) => all.map(({ domain }) => domain));
    expect(new Set(domains).size).toBe(domains.length);
    if (nodes === '1+1') expect(new Set(records.map(({ lan }) => lan?.group)).size).toBe(3);
  });

  it('is taken back by the undo list of its lab, and its world stays as it was', async () => {
    const parent = saveParent('1');
    await forkLane(lab, parent.variant, 2);
    expect(existsSync(pathsOf('default.lane-2').record)).toBe(true);
    expect(await lab.undo.run(lab.host.progress)).toEqual([]);
    expect(existsSync(pathsOf('default.lane-2').dir)).toBe(false);
    expect(lab.leases.open()).toEqual([]);
    expect(readJson(pathsOf('default').record)).toEqual(parent);
  });

  it('is garbage when its lab was killed, with all that is leased for it', async () => {
    const parent = saveParent('1');
    // The number of no process: Linux gives none above 2^22.
    const leases = openLeaseBook(statePaths(lab.host.stateDir).leases, lab.host.clock, 2 ** 22 + 1);
    vi.mocked(makeMachines.run).mockImplementation((of, world) => {
      for (const { domain } of world.record.nodes) of.leases.take('domain', domain, world.record.name);
      return Promise.resolve(world);
    });
    const ports = openPortRegister(join(folder, 'claims'), lab.host, leases);
    const { record } = await forkLane({ ...lab, leases, ports }, parent.variant, 1);
    expect(worldRecordSchema.parse(readJson(pathsOf(record.name).record)).state).toBe('building');
    const found = findLeasedGarbage(lab.host);
    expect(new Set(found.map(({ owner }) => owner))).toEqual(new Set(['default.lane-1']));
    expect(found.map(({ kind, target }) => `${kind} ${target}`)).toEqual(
      expect.arrayContaining([
        `folder ${pathsOf(record.name).dir}`,
        `domain ${record.nodes[0]?.domain ?? ''}`,
        `port ${record.nodes[0]?.sshPort ?? 0}`,
      ]),
    );
  });

  it.each<[string, Partial<ReadyRecord> | undefined, string]>([
    ['is not saved', undefined, 'no lane can be forked from default: it is not saved'],
    ['is half-built', { state: 'building' as never }, 'it is not saved'],
    [
      'has no image any more',
      { image: { digest: 'd', dir: '/gone', sshKey: '', hostKey: '' } },
      'its image is gone: /gone',
    ],
  ])('is not made of a world that %s', async (_, more, why) => {
    if (more !== undefined) saveParent('1', more);
    await expect(forkLane(lab, DEFAULT_VARIANT, 1)).rejects.toThrow(why);
    expect(lab.leases.open()).toEqual([]);
  });
});
