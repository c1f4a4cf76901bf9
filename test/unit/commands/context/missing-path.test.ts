import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMissingPath } from '../../../../lab/commands/context/missing-path.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-missing-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('gone', join(folder, 'broken'));
  symlinkSync('file', join(folder, 'whole'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A word that begins as a name does. */
const typed = (name: string): string => `test/../${relative('.', join(folder, name))}`;

describe('a word that may be a name or a path', () => {
  it('is a missing path when it begins as only paths do, or is a link that leads nowhere', () => {
    expect([join(folder, 'gone'), './gone', '../gone', '~/gone'].map(isMissingPath)).toEqual(
      Array(4).fill(true),
    );
    expect(isMissingPath(typed('broken'))).toBe(true);
  });

  it('is none when there is something, or when it may be a name', () => {
    expect(['file', 'whole', 'gone'].map((name) => isMissingPath(typed(name)))).toEqual(Array(3).fill(false));
    for (const name of ['', 'a-bug', 'default/oom', 'kubernetes#1', 'https://a.example/b', 'x'.repeat(5000)])
      expect([name, isMissingPath(name)]).toEqual([name, false]);
  });
});
