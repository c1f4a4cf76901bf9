import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import { openLeaseBook, type LeaseBook } from '../../../../lab/drivers/claims/leases.ts';
import type { Libvirt } from '../../../../lab/drivers/machines/libvirt.ts';
import { CommandError } from '../../../../lab/model/errors/errors.ts';
import { domainName, worldLibvirtName } from '../../../../lab/model/host/machine.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { destroyWorld } from '../../../../lab/world/steps/destroy.ts';
import type { Lab } from '../../../../lab/world/lab.ts';

let stateDir: string;
let leases: LeaseBook;
let notes: string[];
/** What was asked of libvirt, in order. */
let asked: string[];
let abort: AbortController;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'whodunit-destroy-'));
  leases = openLeaseBook(statePaths(stateDir).leases, systemClock, process.pid);
  notes = [];
  asked = [];
  abort = new AbortController();
  const { terraformState } = statePaths(stateDir).world('default');
  mkdirSync(dirname(terraformState), { recursive: true });
  writeFileSync(terraformState, '{}');
});
afterEach(() => rmSync(stateDir, { recursive: true }));

const gone = new CommandError({
  command: 'tofu destroy',
  failure: 'exit-code',
  status: 1,
  tail: "can't find storage pool",
});

/** A lab on a host where no Terraform can destroy anything. */
function labWith(libvirt: Partial<Libvirt>): Lab {
  const host = {
    stateDir,
    cacheDir: join(stateDir, 'cache'),
    projectDir: stateDir,
    signal: abort.signal,
    waitFor: createWaitFor(systemClock),
    run: () => Promise.reject(gone),
    progress: {
      step: (_: string, work: () => Promise<void>) => work(),
      note: (text: string) => notes.push(text),
    },
  };
  const fake: Partial<Libvirt> = {
    listDomains: () => Promise.resolve([]),
    undefineDomain: (domain) => Promise.resolve(void asked.push(`undefine ${domain}`)),
    removePool: (pool) => Promise.resolve(void asked.push(`pool ${pool}`)),
    ...libvirt,
  };
  return { host, leases, libvirt: fake } as unknown as Lab;
}

describe('removing a world that Terraform cannot remove', () => {
  it('removes its machines through libvirt, drops the state and says so', async () => {
    const name = worldLibvirtName(stateDir, 'default');
    const [leased, forgotten] = [domainName(name, 'node-1'), domainName(name, 'node-2')];
    leases.take('domain', leased, 'default');
    leases.take('pool', name, 'default');
    leases.take('domain', 'whodunit-other-node-1', 'other');
    const listDomains = (): Promise<string[]> => Promise.resolve([leased, forgotten]);
    await destroyWorld(labWith({ listDomains }), 'default');
    expect(asked).toEqual([`undefine ${leased}`, `undefine ${forgotten}`, `pool ${name}`]);
    expect(existsSync(statePaths(stateDir).world('default').dir)).toBe(false);
    expect(leases.open().map((lease) => lease.owner)).toEqual(['other']);
    expect(notes[0]).toContain('Terraform could not remove default: ');
    expect(notes[1]).toBe('removing its machines by name, through libvirt');
  });

  it('takes the world for unfinished from the first step on, whoever wrote its record', async () => {
    const { record } = statePaths(stateDir).world('default');
    writeFileSync(record, JSON.stringify({ formatVersion: 9, state: 'ready', more: 1 }));
    const states: unknown[] = [];
    const listDomains = (): Promise<string[]> => {
      states.push(JSON.parse(readFileSync(record, 'utf8')));
      return Promise.resolve([]);
    };
    await destroyWorld(labWith({ listDomains }), 'default');
    expect(states).toEqual([{ formatVersion: 9, state: 'building', more: 1 }]);
  });

  it('keeps state and leases when libvirt cannot either', async () => {
    leases.take('domain', 'whodunit-x-default-node-1', 'default');
    const undefineDomain = (): Promise<void> => Promise.reject(new Error('no answer'));
    await expect(destroyWorld(labWith({ undefineDomain }), 'default')).rejects.toThrow('no answer');
    expect(existsSync(statePaths(stateDir).world('default').terraformState)).toBe(true);
    expect(leases.open()).toHaveLength(1);
  });

  it('stops at an interrupt instead of taking another way', async () => {
    abort.abort();
    await expect(destroyWorld(labWith({}), 'default')).rejects.toThrow();
    expect(asked).toEqual([]);
    expect(existsSync(statePaths(stateDir).world('default').terraformState)).toBe(true);
  });
});
