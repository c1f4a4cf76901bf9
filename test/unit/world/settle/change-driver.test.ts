import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Kubernetes } from '../../../../lab/drivers/kubernetes/kubernetes.ts';
import type { Guest } from '../../../../lab/model/host/host.ts';
import { connectAll } from '../../../../lab/world/connect.ts';
import { changeRuntimeDriver, waitForRebooted } from '../../../../lab/world/settle/change-driver.ts';
import { createToldGuest } from '../../../fake-guest.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

vi.mock('../../../../lab/world/connect.ts', () => ({ connectAll: vi.fn() }));

let folder: string;
let told: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-change-driver-'));
  told = [];
  vi.resetAllMocks();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A time that no clock of a test has reached. */
const AHEAD = '9999999999999';
const REBOOT = 'systemctl reboot';
const guestIn = (name: string, boot: string, reboot: string | Error = ''): Guest =>
  createToldGuest(name, told, { boot_id: boot, [REBOOT]: reboot, reseed: AHEAD });

/** The nodes of a world after a change of containerd's driver, from the connections that it is given one by one. */
async function change(guests: readonly Guest[], ...connections: (Guest[] | Error)[]): Promise<string[]> {
  for (const connection of connections) {
    if (connection instanceof Error) vi.mocked(connectAll).mockRejectedValueOnce(connection);
    else vi.mocked(connectAll).mockResolvedValueOnce(connection);
  }
  const world = clusterOf(
    { nodes: '1+1', drivers: 'systemd+cgroupfs' },
    { guests, kubernetes: {} as Kubernetes },
  );
  const rebooted = await changeRuntimeDriver(createFakeLab(folder).host, world);
  return rebooted.map(({ guest, bootId }) => `${guest.name} in ${bootId}`);
}

describe('a change of the driver of containerd', () => {
  it('asks each node for its boot, gives each the configuration and the reboot, and gives the new connections', async () => {
    const again = [guestIn('node-1', 'boot-3'), guestIn('node-2', 'boot-4')];
    const found = await change([guestIn('node-1', 'boot-1'), guestIn('node-2', 'boot-2')], again);
    expect(found).toEqual(['node-1 in boot-3', 'node-2 in boot-4']);
    expect(told).toEqual([
      'node-1: boot_id',
      'node-2: boot_id',
      ...['node-1', 'node-2'].flatMap((name) => [
        `${name}: /etc/containerd/whodunit.toml`,
        `${name}: ${REBOOT}`,
        `${name}: closed`,
      ]),
      'node-1: boot_id',
      'node-2: boot_id',
      'node-1: reseed',
      'node-2: reseed',
    ]);
  });

  it('does not take a node that has not gone down yet for one that came back', async () => {
    const early = [guestIn('node-1', 'boot-3'), guestIn('node-2', 'boot-2')];
    const again = [guestIn('node-1', 'boot-3'), guestIn('node-2', 'boot-4')];
    const found = await change([guestIn('node-1', 'boot-1'), guestIn('node-2', 'boot-2')], early, again);
    expect(found).toEqual(['node-1 in boot-3', 'node-2 in boot-4']);
    expect(told.filter((step) => step.endsWith('closed'))).toEqual([
      'node-1: closed',
      'node-2: closed',
      'node-1: closed',
      'node-2: closed',
    ]);
  });

  it('reboots no further node after one did not take it', async () => {
    const failure = new Error('no answer');
    await expect(change([guestIn('node-1', 'boot-1', failure), guestIn('node-2', 'boot-2')])).rejects.toBe(
      failure,
    );
    expect(told.at(-1)).toBe(`node-1: ${REBOOT}`);
    expect(connectAll).not.toHaveBeenCalled();
  });
});

describe('a rebooted node', () => {
  it('is Ready when its kubelet says so in this boot, whatever it said in the one before', async () => {
    const status = (bootID: string, ready: string) => ({
      status: { nodeInfo: { bootID }, conditions: [{ type: 'Ready', status: ready }] },
    });
    const looks = [status('boot-1', 'True'), status('boot-3', 'False'), status('boot-3', 'True')];
    const readNode = vi.fn(() => Promise.resolve(looks.shift()));
    await waitForRebooted(createFakeLab(folder).host, { core: { readNode } } as unknown as Kubernetes, [
      { guest: guestIn('node-1', 'boot-3'), bootId: 'boot-3' },
    ]);
    expect(readNode).toHaveBeenCalledTimes(3);
  });
});
