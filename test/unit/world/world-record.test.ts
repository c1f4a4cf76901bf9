import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../lab/model/axes/axes.ts';
import { statePaths } from '../../../lab/model/host/paths.ts';
import { readWorldRecord, readWorldRecords, type WorldRecord } from '../../../lab/world/world-record.ts';

let stateDir: string;
beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'whodunit-world-record-'))));
afterEach(() => rmSync(stateDir, { recursive: true }));

function save(name: string, text: string): void {
  const paths = statePaths(stateDir).world(name);
  mkdirSync(paths.dir, { recursive: true });
  writeFileSync(paths.record, text);
}

const record: WorldRecord = {
  formatVersion: 1,
  name: 'default',
  variant: { ...DEFAULT_VARIANT },
  state: 'ready',
  key: 'k',
  image: { digest: 'd', dir: '/cache/images/d', sshKey: '', hostKey: '' },
  kubernetes: '1.34.0',
  accelerator: 'tcg',
  libvirtUri: '',
  pool: '',
  nodes: [],
  restarts: 0,
  createdAt: '',
  timings: { bootMs: 1 },
};

describe('the record of a world', () => {
  it('is read whole', () => {
    save('default', JSON.stringify(record));
    expect(readWorldRecord(stateDir, 'default')).toEqual({
      name: 'default',
      record,
      isReady: true,
      imageDir: '/cache/images/d',
    });
  });

  it('of another version still says whether it is meant to stay, and over which image it lies', () => {
    save('v1', JSON.stringify({ ...record, formatVersion: 2, key: undefined }));
    expect(readWorldRecord(stateDir, 'v1')).toEqual({
      name: 'v1',
      record: undefined,
      isReady: true,
      imageDir: '/cache/images/d',
    });
    save('v1', '{"state": "ready", "image": "d"}');
    expect(readWorldRecord(stateDir, 'v1')).toMatchObject({ isReady: true, imageDir: undefined });
  });

  it.each([
    ['is cut short', '{"state": "ready", "ima'],
    ['is something else', '"ready"'],
    ['is not there', undefined],
  ])('says nothing when it %s, and the world is still listed', (_, text) => {
    if (text === undefined) mkdirSync(statePaths(stateDir).world('v1').dir, { recursive: true });
    else save('v1', text);
    expect(readWorldRecords(stateDir)).toEqual([
      { name: 'v1', record: undefined, isReady: false, imageDir: undefined },
    ]);
  });
});
