import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLinesInside, findTextInside } from '../../../lab/drivers/inside.ts';

let base: string;
let root: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-inside-'));
  root = join(base, 'run');
  mkdirSync(join(root, 'cell'), { recursive: true });
  mkdirSync(join(base, 'run-other'));
  writeFileSync(join(base, 'secret'), 'secret\n');
  writeFileSync(join(base, 'run-other', 'secret'), 'secret\n');
  writeFileSync(join(root, 'cell', 'kmsg.log'), 'one\ntwo\nthree\nfour');
});
afterEach(() => rmSync(base, { recursive: true }));

const MAX = 1000;

describe('a file that must lie in a folder', () => {
  it('is read, also through links that stay inside', () => {
    symlinkSync('cell', join(root, 'link'));
    expect(findTextInside(root, 'cell/kmsg.log', MAX)).toContain('one');
    expect(findTextInside(root, 'link/../link/kmsg.log', MAX)).toContain('one');
    symlinkSync(root, join(base, 'root-link'));
    expect(findTextInside(join(base, 'root-link'), 'cell/kmsg.log', MAX)).toContain('one');
  });

  it.each([
    '../secret',
    'cell/../../secret',
    '/etc/hostname',
    '../run-other/secret',
    'file-link',
    'folder-link/secret',
  ])('is refused as %s', (path) => {
    symlinkSync(join(base, 'secret'), join(root, 'file-link'));
    symlinkSync(base, join(root, 'folder-link'));
    expect(() => findTextInside(root, path, MAX)).toThrow(/lies elsewhere: not read$/);
    expect(() => findLinesInside(root, path, { from: 1, count: 1, maxLineBytes: 1 })).toThrow(
      'lies elsewhere',
    );
  });

  it('is refused when it is a folder, a pipe that nobody writes to, or no path', () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(() => findTextInside(root, 'pipe', MAX)).toThrow('is no file');
    expect(() => findTextInside(root, 'cell', MAX)).toThrow('is no file');
    expect(() => findTextInside(root, 'cell\0', MAX)).toThrow('is no path');
  });

  it('is refused when it is too large, and nothing when it is not there', () => {
    expect(() => findTextInside(root, 'cell/kmsg.log', 5)).toThrow('has 18 bytes; at most 5');
    expect(findTextInside(root, 'cell/none', MAX)).toBeUndefined();
    expect(findTextInside(root, 'cell/kmsg.log/none', MAX)).toBeUndefined();
  });
});

describe('lines of such a file', () => {
  const lines = (from: number, count: number, maxLineBytes = 100) =>
    findLinesInside(root, 'cell/kmsg.log', { from, count, maxLineBytes });

  it('are those that were asked for, as many as there are', () => {
    expect(lines(2, 2)?.map(({ line, text }) => `${line} ${text}`)).toEqual(['2 two', '3 three']);
    expect(lines(4, 9)).toEqual([{ line: 4, text: 'four', isCut: false }]);
    expect(lines(9, 9)).toEqual([]);
  });

  it('are cut when they are long, in a file that is longer than a piece', () => {
    writeFileSync(join(root, 'cell/kmsg.log'), `short\n${'x'.repeat(3_000_000)}\nlast\n`);
    expect(lines(1, 3, 10)).toEqual([
      { line: 1, text: 'short', isCut: false },
      { line: 2, text: 'xxxxxxxxxx', isCut: true },
      { line: 3, text: 'last', isCut: false },
    ]);
  });
});
