import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolders } from '../../../../lab/drivers/files/make-folders.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-make-folders-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('nowhere', join(folder, 'dangling'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('folders', () => {
  it('are made with those above them, and may be there already', () => {
    const path = join(folder, 'a/b/c');
    makeFolders(path, 0o700);
    makeFolders(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(existsSync(join(folder, 'a/b'))).toBe(true);
  });

  it.each([
    ['below a folder whose files the kernel makes up', () => '/proc/x/y', 'ENOENT'],
    ['where a file is', () => join(folder, 'file'), 'EEXIST'],
    ['below a file', () => join(folder, 'file/x'), 'ENOTDIR'],
    ['where a link leads nowhere', () => join(folder, 'dangling'), 'EEXIST'],
  ])('%s end in an error, and never in a circle', (_, path, code) => {
    expect(() => makeFolders(path())).toThrow(expect.objectContaining({ code }) as Error);
  });
});
