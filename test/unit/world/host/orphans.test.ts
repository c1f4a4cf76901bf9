import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { domainName, worldLibvirtName } from '../../../../lab/model/host/machine.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { findOrphans, type LibvirtThing } from '../../../../lab/world/host/orphans.ts';

let home: string;
let stateDir: string;
let pool: LibvirtThing;
let domain: LibvirtThing;
let disk: string;
const guests: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-orphans-'));
  stateDir = join(home, 'clone/.lab');
  const name = worldLibvirtName(stateDir, 'default');
  pool = { kind: 'pool', target: name };
  domain = { kind: 'domain', target: domainName(name, 'node-1') };
  disk = join(statePaths(stateDir).world('default').pool, 'node-1.qcow2');
});
afterEach(async () => {
  await Promise.all(
    guests.splice(0).map((guest) => {
      const ended = once(guest, 'exit');
      guest.kill('SIGKILL');
      return ended;
    }),
  );
  rmSync(home, { recursive: true });
});

/** Asks a libvirt that has both, or one of them, with files in this folder. */
function find(
  things: readonly LibvirtThing[],
  state = 'shut off',
  folder = dirname(disk),
  meanwhile = (): void => undefined,
) {
  return findOrphans(
    {
      domainState: () => {
        meanwhile();
        return Promise.resolve(state as 'shut off' | 'running');
      },
      findPoolFolder: () => Promise.resolve(folder),
      listDomainFiles: () => Promise.resolve(['/var/cache/base.raw', join(folder, 'node-1.qcow2')]),
    },
    things,
  );
}

/** A process that looks like the QEMU of the domain and has its disk open. */
async function startGuest(): Promise<void> {
  mkdirSync(dirname(disk), { recursive: true });
  const descriptor = openSync(disk, 'w');
  const guest = spawn('/bin/sh', ['-c', 'read line', '-name', `guest=${domain.target},debug-threads=on`], {
    argv0: '/usr/bin/qemu-system-x86_64',
    stdio: ['pipe', 'ignore', 'ignore', descriptor],
  });
  guests.push(guest);
  await once(guest, 'spawn');
  closeSync(descriptor);
  const commandLine = readFileSync(`/proc/${guest.pid ?? 0}/cmdline`, 'utf8');
  expect(commandLine).toContain(domain.target);
}

describe('machines and pools whose state folder is gone', () => {
  it('are found by the folder of the pool, by the disk of the machine, and by either for both', async () => {
    for (const things of [[pool], [domain], [pool, domain], [domain, pool]])
      expect(await find(things)).toEqual(things.map((thing) => ({ ...thing, root: stateDir })));
  });

  it('are found while the machine runs, if its disk was deleted', async () => {
    await startGuest();
    rmSync(join(home, 'clone'), { recursive: true });
    expect(await find([domain, pool], 'running')).toHaveLength(2);
  });
});

describe('machines and pools that may be used are left alone', () => {
  it('where the state folder is there, even without the folder of the pool', async () => {
    mkdirSync(stateDir, { recursive: true });
    expect(await find([domain, pool])).toEqual([]);
  });

  it('where none of their files is in a folder that the name was made for', async () => {
    expect(await find([domain, pool], 'shut off', join(home, 'other/.lab/worlds/default/pool'))).toEqual([]);
    expect(await find([domain, pool], 'shut off', '')).toEqual([]);
  });

  it('where the folder is behind a link that leads nowhere', async () => {
    symlinkSync(join(home, 'unmounted'), join(home, 'clone'));
    expect(await find([domain, pool])).toEqual([]);
    rmSync(join(home, 'clone'));
    expect(await find([domain, pool])).toHaveLength(2);
  });

  it('where a machine runs and its process is out of sight', async () => {
    expect(await find([domain, pool], 'running')).toEqual([]);
  });

  it('where a machine runs in a folder that was moved', async () => {
    await startGuest();
    renameSync(join(home, 'clone'), join(home, 'moved'));
    expect(await find([domain, pool], 'running')).toEqual([]);
    const moveBack = (): void => renameSync(join(home, 'moved'), join(home, 'clone'));
    expect(await find([domain], 'running', dirname(disk), moveBack)).toEqual([]);
  });
});
