import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPortRegister, listPorts } from '../../../../lab/drivers/claims/lease-ports.ts';
import { openLeaseBook, type LeaseBook } from '../../../../lab/drivers/claims/leases.ts';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { endProcess } from '../../../child-processes.ts';
import { PROJECT } from '../../project-files.ts';

let base: string;
let folder: string;
let labs: ChildProcess[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-lease-ports-'));
  folder = join(base, 'claims');
});
afterEach(async () => {
  await Promise.all(labs.map((lab) => endProcess(lab)));
  labs = [];
  rmSync(base, { recursive: true });
});

const stateOf = (name: string): string => join(base, name);
const booksOf = (name: string): LeaseBook =>
  openLeaseBook(statePaths(stateOf(name)).leases, systemClock, process.pid);

/** Leases ports for a state folder, as a command of it would. */
async function leaseFor(name: string, count: number): Promise<number[]> {
  mkdirSync(stateOf(name));
  const host = { stateDir: stateOf(name), clock: systemClock, signal: new AbortController().signal };
  const register = openPortRegister(folder, host, booksOf(name));
  register.makeKnown();
  return (await register.lease('default', count)).map(({ port }) => port);
}

/** Starts a lab with a state folder of its own. It leases ports when it is told to. */
async function startLab(name: string, count: number, times = 1): Promise<() => Promise<string>> {
  const script = join(PROJECT, 'test/fixtures/lease-ports.ts');
  const words = ['--import', 'tsx', script, folder, stateOf(name), String(count), String(times)];
  const child = spawn(process.execPath, words, { cwd: PROJECT, stdio: ['pipe', 'pipe', 'inherit'] });
  labs.push(child);
  const lines = createInterface({ input: child.stdout });
  const next = async (): Promise<string> => ((await once(lines, 'line')) as [string])[0];
  expect(await next()).toBe('ready');
  return () => {
    const done = next();
    child.stdin.write('go\n');
    return done;
  };
}

const countTwice = (ports: readonly number[]): number => ports.length - new Set(ports).size;

describe('ports of two state folders', () => {
  // Of so many random ports of twenty thousand, about eight of two folders would be the same.
  const COUNT = 400;

  it('differ when both lease at the same moment', async () => {
    const go = await Promise.all(['one', 'other'].map((name) => startLab(name, COUNT / 2, 4)));
    expect(await Promise.all(go.map((lease) => lease()))).toEqual(['done', 'done']);
    const ports = ['one', 'other'].flatMap((name) => listPorts(booksOf(name).open()));
    expect([ports.length, countTwice(ports)]).toEqual([4 * COUNT, 0]);
  });

  it('differ after the lab that leased the first was killed: its machines may be there', async () => {
    const lease = await startLab('killed', COUNT);
    await lease();
    await endProcess(labs[0]!);
    const ports = [...listPorts(booksOf('killed').open()), ...(await leaseFor('next', COUNT))];
    expect([ports.length, countTwice(ports)]).toEqual([2 * COUNT, 0]);
  });

  it('keep nobody waiting for a state folder that is gone, and nothing of it is left', async () => {
    await leaseFor('gone', 1);
    rmSync(stateOf('gone'), { recursive: true });
    await leaseFor('own', 1);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('are leased although the leases of the other folder cannot be read', async () => {
    await leaseFor('broken', 1);
    const { leases } = statePaths(stateOf('broken'));
    rmSync(leases);
    mkdirSync(leases);
    expect(await leaseFor('own', 2)).toHaveLength(2);
  });
});
