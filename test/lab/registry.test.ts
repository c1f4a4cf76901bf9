import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLeases } from '../../lab/model/host/lease.ts';
import type { Guest, Host } from '../../lab/model/host/host.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { registrySchema } from '../../lab/model/declared/registry.ts';
import {
  openCellRegistry,
  prepareRegistry,
  type CellRegistry,
  type PreparedRegistry,
} from '../../lab/world/cell/cell-registry.ts';
import { collectGarbage } from '../../lab/world/host/collect-garbage.ts';
import { readComponents } from '../../provision/components/components.ts';
import { createFakeGuest } from '../fake-guest.ts';
import { createTestHost } from './stack-host.ts';

/** The largest pid of Linux on 64 bits: nobody has it. */
const DEAD = 4194303;
const KIB = 1024;
const SLOW_KIB_PER_SECOND = 2048;

const registry = registrySchema.parse({
  images: [
    { image: '127.0.0.1:5000/slow:1', sizeMiB: 1, kibPerSecond: SLOW_KIB_PER_SECOND },
    { image: '127.0.0.1:5000/team/quick:1', sizeMiB: 1 },
  ],
});

let home: string;
let host: Host;
let prepared: PreparedRegistry | undefined;
let doors: Server[];
let running: CellRegistry | undefined;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-registry-'));
  host = createTestHost(join(home, 'state'));
  prepared = await prepareRegistry(host, readComponents(host.projectDir), { registry });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  doors = [];
});
afterEach(async () => {
  await running?.stop();
  for (const door of doors) door.close();
  expect(listRegistries()).toEqual([]);
  expect(listLeases()).toEqual([]);
  expect(readdirSync(statePaths(host.stateDir).registries)).toEqual([]);
});

/** A node whose port 5000 is some port of this host. */
function createNode(name: string): Guest & { port(): number } {
  let port = 0;
  const listen: Guest['listen'] = async (_port, onConnection) => {
    const door = createServer(onConnection);
    doors.push(door);
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    ({ port } = door.address() as AddressInfo);
  };
  return { ...createFakeGuest(name, () => ''), listen, port: () => port };
}

async function open(...guests: Guest[]): Promise<CellRegistry> {
  const placement = { owner: 'default/slow-pull', file: join(home, 'registry.jsonl') };
  running = await openCellRegistry(host, guests, prepared, placement);
  return running;
}

/** Pids of registries of this state folder. */
function listRegistries(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && readCommandLine(entry).includes(`${host.stateDir}/registries/`))
    .map(Number);
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}

const listLeases = () => openLeases(readFileSync(statePaths(host.stateDir).leases, 'utf8').split('\n'));

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly [{ readonly digest: string; readonly size: number }];
}

/** Pulls an image as a runtime does, and returns how long its layer took, in seconds. */
async function pull(port: number, repository: string): Promise<number> {
  const root = `http://127.0.0.1:${port}/v2/${repository}`;
  const headers = { accept: 'application/vnd.oci.image.manifest.v1+json' };
  const found = await fetch(`${root}/manifests/1`, { headers });
  expect(found.status).toBe(200);
  const { config, layers } = (await found.json()) as Manifest;
  const from = performance.now();
  for (const { digest } of [config, ...layers]) {
    const blob = await fetch(`${root}/blobs/${digest}`);
    const content = Buffer.from(await blob.arrayBuffer());
    expect(`sha256:${createHash('sha256').update(content).digest('hex')}`).toBe(digest);
  }
  return (performance.now() - from) / 1000;
}

describe('the registry of a cell', () => {
  it('gives every node its images, the slow one slowly, and lets none write', async () => {
    const nodes = [createNode('node-1'), createNode('node-2')];
    const { stop } = await open(...nodes);
    const [first = 0, second = 0] = nodes.map((node) => node.port());
    const [slow, quick] = await Promise.all([pull(first, 'slow'), pull(second, 'team/quick')]);
    expect(slow).toBeGreaterThan(KIB / SLOW_KIB_PER_SECOND);
    expect(quick).toBeLessThan(slow);
    const written = await fetch(`http://127.0.0.1:${first}/v2/x/blobs/uploads/`, { method: 'POST' });
    expect(written.status).toBe(405);
    await stop();
    const lines = readFileSync(join(home, 'registry.jsonl'), 'utf8').trim().split('\n');
    const asked = lines.map((line) => JSON.parse(line) as { node: string; path: string; whole: boolean });
    expect(asked.filter(({ path }) => path.startsWith('/v2/slow/')).map(({ node }) => node)).toEqual([
      'node-1',
      'node-1',
      'node-1',
    ]);
    expect(asked.every(({ whole }) => whole)).toBe(true);
  });

  it('ends what waits when it is killed, and says why', async () => {
    const { host: within, findFailure } = await open(createNode('node-1'));
    const never = { title: 'nothing', look: async () => ({ done: false, seen: '' }) as const };
    const waiting = expect(within.waitFor(never, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'LAB_INTERRUPTED',
    });
    expect(findFailure()).toBeUndefined();
    const [pid = 0] = listRegistries();
    process.kill(pid, 'SIGKILL');
    await waiting;
    expect(findFailure()).toMatchObject({
      code: 'LAB_REGISTRY',
      message: 'the registry of the cell ended: killed by SIGKILL',
    });
  });

  it('is found and removed after a lab that was killed', async () => {
    await open(createNode('node-1'));
    const file = statePaths(host.stateDir).leases;
    const told = readFileSync(file, 'utf8');
    expect(listRegistries()).toHaveLength(1);
    expect((await collectGarbage(host, { dryRun: false })).removed).toEqual([]);
    writeFileSync(file, told.replaceAll(`"holder":${process.pid}`, `"holder":${DEAD}`));
    const { removed, failed } = await collectGarbage(host, { dryRun: false });
    expect(removed.map(({ kind, owner }) => [kind, owner])).toEqual([
      ['process', 'default/slow-pull'],
      ['folder', 'default/slow-pull'],
    ]);
    expect(failed).toEqual([]);
    expect(listRegistries()).toEqual([]);
  });

  it('that cannot start leaves nothing, and says what it said', async () => {
    const broken = { ...prepared!, program: '/bin/false' };
    const placement = { owner: 'default/slow-pull', file: join(home, 'none.jsonl') };
    await expect(openCellRegistry(host, [], broken, placement)).rejects.toMatchObject({
      code: 'LAB_REGISTRY',
    });
    expect(existsSync(placement.file)).toBe(false);
  });

  it('ends with an interrupt while it starts', async () => {
    const interrupt = new AbortController();
    const busy: Host = {
      ...host,
      signal: interrupt.signal,
      run: (...call) => {
        interrupt.abort();
        return host.run(...call);
      },
    };
    const placement = { owner: 'default/slow-pull', file: join(home, 'none.jsonl') };
    await expect(openCellRegistry(busy, [], prepared, placement)).rejects.toMatchObject({
      code: 'LAB_INTERRUPTED',
    });
  });
});
