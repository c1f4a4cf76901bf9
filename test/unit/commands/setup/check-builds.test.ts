import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBuilds } from '../../../../lab/commands/setup/check-builds.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { configWith } from '../../project-files.ts';

const config = configWith();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-builds-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** Checks a variant whose runtime was typed. */
const check = (runtime: string): void =>
  checkBuilds(folder, config, {
    variants: [{ ...DEFAULT_VARIANT, runtime }],
    typed: [`runtime=${runtime}`],
  });

describe('a checkout that a variant names', () => {
  it.each<[what: string, path: string, goMod: string]>([
    ['the top of a repository', 'runc', 'module github.com/opencontainers/runc\n'],
    ['a folder in a repository', 'all/runc', 'module "github.com/opencontainers/runc"\n'],
  ])('is taken as %s', (_, path, goMod) => {
    write(`${path.split('/')[0] ?? ''}/.git/HEAD`, '');
    write(`${path}/go.mod`, goMod);
    expect(() => check(`runc@git:./${path}`)).not.toThrow();
  });

  it.each<[what: string, files: Readonly<Record<string, string>>, version: string, says: string]>([
    ['that is not there', {}, './runc', 'there is no FOLDER/runc'],
    [
      'with an @ before its ref',
      { 'runc/.git/HEAD': '' },
      './runc@v1.2.3',
      'there is no FOLDER/runc@v1.2.3 (a branch, a tag or a commit follows a #)',
    ],
    ['that is a file', { runc: '' }, './runc', 'FOLDER/runc is not a folder'],
    ['that git does not know', { 'runc/go.mod': '' }, './runc', 'FOLDER/runc is not in a git checkout'],
    [
      'of another module',
      { 'runc/.git/HEAD': '', 'runc/go.mod': 'module github.com/containerd/containerd/v2\n' },
      './runc',
      'FOLDER/runc is not a checkout of runc, whose go.mod is of github.com/opencontainers/runc: it is the module github.com/containerd/containerd/v2',
    ],
    [
      'without a module',
      { 'runc/.git/HEAD': '' },
      './runc',
      'FOLDER/runc is not a checkout of runc, whose go.mod is of github.com/opencontainers/runc: it has no go.mod',
    ],
  ])('%s is refused before anything is built', (_, files, version, says) => {
    for (const [path, text] of Object.entries(files)) write(path, text);
    expect(() => check(`runc@git:${version}`)).toThrow(
      `runtime=runc@git:${version}: ${says.replace('FOLDER', folder)}`,
    );
  });

  it('needs the code that Bazel generates for gVisor', () => {
    write('gvisor/.git/HEAD', '');
    write('gvisor/go.mod', 'module gvisor.dev/gvisor\n');
    expect(() => check('runsc@git:./gvisor')).toThrow(
      `${folder}/gvisor has no pkg/abi/linux/linux_state_autogen.go: Bazel generates it; name the branch`,
    );
    write('gvisor/pkg/abi/linux/linux_state_autogen.go', '');
    expect(() => check('runsc@git:./gvisor')).not.toThrow();
  });

  it('is refused as what it is when it is a link to nowhere', () => {
    symlinkSync('/nowhere', join(folder, 'runc'));
    expect(() => check('runc@git:./runc')).toThrow(`${folder}/runc is a link to nowhere`);
  });

  it('may be of another module at the ref that is built, which git says later', () => {
    write('runc/.git/HEAD', '');
    expect(() => check('runc@git:./runc#v1.2.3')).not.toThrow();
  });

  it('is refused where nobody has typed it, and the way in is said', () => {
    write('runc/.git/HEAD', '');
    write('runc/go.mod', 'module github.com/opencontainers/runc\n');
    const variants = [{ ...DEFAULT_VARIANT, runtime: 'runc@git:./runc' }];
    expect(() => checkBuilds(folder, config, { variants, typed: ['oom-*'] })).toThrow(
      expect.objectContaining({
        tryNext: 'type what you trust, as a word or in the address of a cell: runtime=runc@git:./runc',
      }) as Error,
    );
  });
});

describe('another path for a build that is not there', () => {
  const variants = [{ ...DEFAULT_VARIANT, runtime: 'runsc@file:./out' }];
  const inFile = { ...config.catalogue, nodeComponents: { runc: 'file:./gone' } };

  it.each<[who: string, typed: string[], catalogue: typeof config.catalogue, from: string]>([
    ['was typed', ['runtime=runsc@file:./out'], config.catalogue, 'the current folder'],
    ['a file names', [], config.catalogue, 'FOLDER'],
    ['was typed, beside one that a file names', ['runtime=runsc@file:./out'], inFile, 'FOLDER'],
  ])('begins where it was written: one that %s', (_, typed, catalogue, from) => {
    expect(() => checkBuilds(folder, { ...config, catalogue }, { variants, typed })).toThrow(
      expect.objectContaining({
        tryNext: `build or clone it first, or give another path, absolute or relative to ${from.replace('FOLDER', folder)}`,
      }) as Error,
    );
  });
});
