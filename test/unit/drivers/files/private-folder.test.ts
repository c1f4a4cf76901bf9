import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePrivateFolder, refuseOpenCache } from '../../../../lab/drivers/files/private-folder.ts';

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-private-'));
  folder = join(base, 'state');
});
afterEach(() => rmSync(base, { recursive: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
/** A folder with this mode, whatever the umask. */
const make = (path: string, mode: number): string => {
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
};
const open = expect.objectContaining({ code: 'LAB_STATE_FOLDER' }) as Error;

describe('the state folder', () => {
  it('is made for its owner alone', () => {
    ensurePrivateFolder(folder);
    expect(modeOf(folder)).toBe('700');
  });

  it.each([0o755, 0o777, 0o750])('of mode %o is closed when it holds nothing but ours', (mode) => {
    make(folder, mode);
    make(join(folder, 'worlds'), 0o777);
    make(join(folder, 'program'), 0o755);
    writeFileSync(join(folder, 'leases.jsonl'), '');
    ensurePrivateFolder(folder);
    expect(modeOf(folder)).toBe('700');
  });

  it('is left alone when it holds more than ours, or everybody shares it', () => {
    make(folder, 0o755);
    writeFileSync(join(folder, 'letters.txt'), '');
    expect(() => ensurePrivateFolder(folder)).toThrow(open);
    expect(modeOf(folder)).toBe('755');
    const shared = make(join(base, 'shared'), 0o1777);
    expect(() => ensurePrivateFolder(shared)).toThrow(open);
    expect(modeOf(shared)).toBe('1777');
  });

  it.skipIf(process.geteuid?.() === 0)('of somebody else is refused', () => {
    expect(() => ensurePrivateFolder('/root')).toThrow('belongs to user 0');
  });
});

describe('the cache', () => {
  it('is taken when others may read it, and when there is none', () => {
    refuseOpenCache(folder);
    refuseOpenCache(make(folder, 0o755));
  });

  it('is refused when others may write to it, or to a folder in it', () => {
    expect(() => refuseOpenCache(make(folder, 0o775))).toThrow(open);
    const cache = make(join(base, 'cache'), 0o755);
    make(join(cache, 'components'), 0o777);
    expect(() => refuseOpenCache(cache)).toThrow(
      `${join(cache, 'components')} is open to other users (mode 777)`,
    );
  });
});
