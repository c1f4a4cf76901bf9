import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findFolderInside,
  findLinesInside,
  findTextInside,
  listInside,
  readPiecesInside,
} from '../../../../lab/drivers/files/inside.ts';
import { findText } from '../../../../lab/drivers/files/files.ts';

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
    expect(() => findTextInside(root, path, MAX)).toThrow(/is elsewhere: not read$/);
    expect(() => findLinesInside(root, path, { from: 1, count: 1, maxLineBytes: 1 })).toThrow('is elsewhere');
  });

  it('is refused when it is a folder, a pipe that nobody writes to, or no path', () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(() => findTextInside(root, 'pipe', MAX)).toThrow('is not a file');
    expect(() => findTextInside(root, 'cell', MAX)).toThrow('is not a file');
    expect(() => findTextInside(root, 'cell\0', MAX)).toThrow('is not a path');
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

/** What is no regular file, each by the command that makes it, or the file of the host that a link leads to. */
const OTHERS: readonly (readonly [string, readonly string[]])[] = [
  ['a pipe that nobody writes to', ['mkfifo']],
  ['a link to a device without an end', ['ln', '-s', '/dev/zero']],
  ['a link to the memory of this process', ['ln', '-s', '/proc/self/mem']],
  ['a link to a file of the host', ['ln', '-s', '/etc/passwd']],
  ['a link to a folder of the host', ['ln', '-s', '/etc']],
  ['a link to our own standard input', ['ln', '-s', '/proc/self/fd/0']],
];

describe('what is not a file of the folder', () => {
  const make = ([program = '', ...words]: readonly string[]): void =>
    void execFileSync(program, [...words, join(root, 'cell/evil.log')]);

  it.each(OTHERS)('is not opened: %s', (_, command) => {
    make(command);
    expect(() => findTextInside(root, 'cell/evil.log', MAX)).toThrow(/is elsewhere|is not a file/);
    expect(() => [...readPiecesInside(root, 'cell/evil.log')]).toThrow(/is elsewhere|is not a file/);
  });

  it.each(OTHERS)('is told apart where a folder is listed: %s', (_, command) => {
    make(command);
    const { files, others } = listInside(root, '.', 2);
    expect(files).toEqual([{ path: 'cell/kmsg.log', bytes: 18 }]);
    expect(others).toEqual(['cell/evil.log']);
  });

  it.each(OTHERS.slice(0, 2))('is not opened anywhere else: %s', (_, command) => {
    make(command);
    expect(() => findText(join(root, 'cell/evil.log'))).toThrow('is not a file: not read');
  });

  it('is a folder that is elsewhere', () => {
    symlinkSync(base, join(root, 'link'));
    for (const path of ['link', '..', '/', '../run-other'])
      expect(() => findFolderInside(root, path)).toThrow('is elsewhere');
    expect(() => listInside(root, 'link', 1)).toThrow('is elsewhere');
    expect(findFolderInside(root, 'cell')).toBe(join(root, 'cell'));
    expect(findFolderInside(root, 'none')).toBeUndefined();
  });

  it('is read as it is when it only says that it is large', () => {
    execFileSync('truncate', ['-s', '1T', join(root, 'cell/sparse.log')]);
    expect(() => findTextInside(root, 'cell/sparse.log', MAX)).toThrow(
      'has 1099511627776 bytes; at most 1000',
    );
    expect(() => findText(join(root, 'cell/sparse.log'))).toThrow('has 1099511627776 bytes');
  });
});
