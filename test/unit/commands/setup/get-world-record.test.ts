import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getWorldRecord } from '../../../../lab/commands/setup/get-world-record.ts';
import { writeJsonAtomic } from '../../../../lab/drivers/files/files.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { UsageError } from '../../../../lab/model/errors/errors.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { WorldRecord } from '../../../../lab/world/world-record.ts';

let stateDir: string;
beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'whodunit-world-of-'))));
afterEach(() => rmSync(stateDir, { recursive: true }));

function saveWorld(name: string, state: WorldRecord['state'], nodes: WorldRecord['nodes'] = []): void {
  const record: WorldRecord = {
    formatVersion: 1,
    name,
    variant: { ...DEFAULT_VARIANT },
    state,
    key: '',
    kubernetes: '1.34.0',
    image: { digest: '', dir: '', sshKey: '', hostKey: '' },
    accelerator: 'tcg',
    libvirtUri: '',
    pool: '',
    nodes,
    restarts: 0,
    createdAt: '',
    timings: {},
  };
  writeJsonAtomic(statePaths(stateDir).world(name).record, record);
}

function find(name: string | undefined, halfBuilt = false): string {
  try {
    return getWorldRecord({ stateDir }, name, { halfBuilt }).name;
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} | ${error.tryNext ?? ''}`;
    throw error;
  }
}

describe('the world that a verb enters', () => {
  it('is the named one, else the only one that is whole', () => {
    saveWorld('default', 'ready');
    saveWorld('v1', 'building');
    expect(find(undefined)).toBe('default');
    expect(find(undefined, true)).toBe('default');
    expect(find('default')).toBe('default');
    expect(find('defaul')).toBe('no world "defaul" is up (did you mean "default"?) | npx whodunit status');
  });

  it('may be half-built where machines are enough', () => {
    saveWorld('v1', 'building');
    expect(find(undefined, true)).toBe('v1');
    expect(find('v1', true)).toBe('v1');
    expect(find(undefined)).toBe('no world is up | npx whodunit up');
    expect(find('v1')).toBe('no world "v1" is up | npx whodunit up');
  });

  it('has its power on; a parked one is told with the way to bring it back', () => {
    const node = (domain: string) => ({ name: 'node-1', domain, sshPort: 1, memoryMiB: 1 });
    saveWorld('v1', 'ready', [node('off')]);
    const parked = 'v1 is switched off: it was parked, or the host was restarted | npx whodunit up v1';
    expect(find(undefined)).toBe(parked);
    expect(find('v1')).toBe(parked);
    saveWorld('default', 'ready');
    expect(find(undefined)).toBe('default');
    expect(getWorldRecord({ stateDir }, 'v1', { halfBuilt: false }, new Set(['off'])).name).toBe('v1');
  });

  it('has to be named when there are several', () => {
    saveWorld('default', 'ready');
    saveWorld('v1', 'ready');
    expect(find(undefined)).toBe('several worlds are up: default, v1 | name one of them: --world default');
  });
});
