import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  refuseUnwritableFile,
  refuseUnwritableFolder,
} from '../../../../lab/drivers/files/refuse-unwritable.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-unwritable-'));
  mkdirSync(join(home, 'folder'));
  writeFileSync(join(home, 'file'), 'text');
});
afterEach(() => {
  expect(readdirSync(home).sort()).toEqual(['file', 'folder']);
  rmSync(home, { recursive: true });
});

describe('what is written after long work', () => {
  it.each(['file', 'new', 'folder/new', 'new/and/below'])('may be the file %s', (name) => {
    expect(() => refuseUnwritableFile(join(home, name))).not.toThrow();
  });

  it.each(['folder', 'new', 'folder/new', 'new/and/below'])('may be the folder %s', (name) => {
    expect(() => refuseUnwritableFolder(join(home, name))).not.toThrow();
  });

  it.each([
    ['folder', 'is a folder, and a file is needed there'],
    ['file/below', 'file'],
    [`folder/${'a'.repeat(300)}`, 'too long'],
  ])('may not be the file %s', (name, says) => {
    expect(() => refuseUnwritableFile(join(home, name))).toThrow(says);
  });

  it.each([
    ['file', 'file'],
    ['file/below', 'file'],
  ])('may not be the folder %s', (name, says) => {
    expect(() => refuseUnwritableFolder(join(home, name))).toThrow(says);
  });
});
