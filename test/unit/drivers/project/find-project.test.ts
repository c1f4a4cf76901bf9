import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOwnProject } from '../../../../lab/drivers/project/find-project.ts';
import { readDeclarations } from '../../../../lab/drivers/project/project-files.ts';

const UID = process.getuid?.() ?? 0;
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'whodunit-project-')));
  for (const folder of ['p/a/b', 'p/inner/c', 'other', 'clone/sub'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['p', 'p/inner'])
    writeFileSync(join(root, folder, 'whodunit.yaml'), 'formatVersion: 1\n');
});
afterEach(() => rmSync(root, { recursive: true }));

const find = (cwd: string, flag?: string, variable?: string, uid = UID): string | undefined =>
  findOwnProject({ flag, variable }, { cwd: join(root, cwd), uid, projectDir: join(root, 'clone') });

describe('the project of somebody', () => {
  it.each([
    ['p', 'p'],
    ['p/a/b', 'p'],
    ['p/inner/c', 'p/inner'],
  ])('is found from %s upwards: %s', (cwd, found) => {
    expect(find(cwd)).toBe(join(root, found));
  });

  it('is none where there is none, and none above a clone of whodunit', () => {
    expect(find('other')).toBeUndefined();
    writeFileSync(join(root, 'whodunit.yaml'), 'formatVersion: 1\n');
    expect(find('clone/sub')).toBeUndefined();
    expect(find('other')).toBe(root);
  });

  it('is the one that is named, by the flag before the variable', () => {
    expect(find('other', '../p')).toBe(join(root, 'p'));
    expect(find('other', undefined, '../p/inner')).toBe(join(root, 'p/inner'));
    expect(find('p/a', '../inner', '..')).toBe(join(root, 'p/inner'));
    expect(() => find('p', 'a')).toThrow(/not a project/);
  });

  it.each([
    [
      'a folder',
      (path: string) => mkdirSync(path),
      /whodunit\.yaml is a folder, and a project is made by a file/,
    ],
    ['a device', (path: string) => symlinkSync('/dev/null', path), /whodunit\.yaml is not a file/],
  ])('is refused where %s has the name of its file, named or not', (_, make, says) => {
    make(join(root, 'other/whodunit.yaml'));
    expect(() => find('other')).toThrow(says);
    expect(() => find('p', '../other')).toThrow(says);
    expect(() => find('p', undefined, '../other')).toThrow(says);
  });

  it('of another user has to be named', () => {
    // Files of root are trusted, so the test of root looks as somebody else at files that it has made.
    const isRoot = UID === 0;
    if (isRoot) return expect(find('p', undefined, undefined, 12345)).toBe(join(root, 'p'));
    expect(() => find('p', undefined, undefined, UID + 1)).toThrow(/of another user/);
    return expect(find('other', '../p', undefined, UID + 1)).toBe(join(root, 'p'));
  });
});

describe('files of a project', () => {
  it('that are links to what is outside of it are refused', () => {
    const folder = join(root, 'p/scenarios/team/one');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, 'secret.yaml'), 'secret');
    symlinkSync(join(root, 'secret.yaml'), join(folder, 'scenario.yaml'));
    const files = readDeclarations({ projectDir: join(root, 'clone'), ownDir: join(root, 'p') });
    const file = files.find(({ path }) => path === 'scenarios/team/one/scenario.yaml');
    expect(file).toMatchObject({
      text: '',
      unreadable: expect.stringContaining('outside of the project') as string,
    });
  });
});
