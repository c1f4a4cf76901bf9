import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copySmallProject, type ProjectCopy } from '../support/project-copy.ts';
import { PROJECT, runProgram, type Ended } from '../support/run-cli.ts';

/** Code that no source has. */
const PLANTED = `process.stdout.write('PLANTED\\n');\nexport const main = async () => 0;\n`;
const SOURCES = ['lab/cli.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'bin/program.mjs'];
const NOBODY = 65_534;

let folder: string;
/** The fork, in which its author has run the program once, so that its record is a real one. */
let fork: ProjectCopy;
let record: Record<string, unknown> & { readonly dir: string };

const git = (dir: string, ...words: string[]): unknown =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-C', dir, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
const below = (dir: string, path = ''): string => join(dir, '.lab/program', path);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-planted-'));
  fork = copySmallProject(folder);
  rmSync(join(fork.dir, 'node_modules'));
  cpSync(join(PROJECT, '.gitignore'), join(fork.dir, '.gitignore'));
  git(fork.dir, 'init', '--quiet');
  git(fork.dir, 'add', '.');
  git(fork.dir, 'commit', '--quiet', '-m', 'sources');
  symlinkSync(join(PROJECT, 'node_modules'), join(fork.dir, 'node_modules'));
  expect((await fork.run(['killers'])).status).toBe(0);
  record = JSON.parse(readFileSync(below(fork.dir, 'current.json'), 'utf8')) as typeof record;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes a folder that looks like a written program, with the planted code in it. */
function plantFolder(dir: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'cli.mjs'), PLANTED);
}

function plantRecord(program: string, changed: object): void {
  mkdirSync(program, { recursive: true });
  writeFileSync(join(program, 'current.json'), JSON.stringify({ ...record, ...changed }));
}

/** The states that the files of a folder have, as the author of a fork can read them in his own. */
const statesOf = (dir: string, paths: readonly string[]): object =>
  Object.fromEntries(
    paths.map((path) => {
      const { size, ctimeMs } = lstatSync(join(dir, path));
      return [path, { size, ctimeMs }];
    }),
  );

/** What the author of a fork adds below `.lab/` by force. */
const FORMS: Readonly<Record<string, (dir: string) => void>> = {
  'a record of no sources': (dir) => {
    plantFolder(below(dir, 'written-abc'));
    plantRecord(below(dir), { dir: 'written-abc', sources: {}, written: {} });
  },
  'a record without the files that were written': (dir) => {
    plantFolder(below(dir, 'written-abc'));
    plantRecord(below(dir), { dir: 'written-abc', written: undefined });
  },
  'a folder elsewhere in the clone': (dir) => {
    plantFolder(join(dir, 'docs'));
    plantRecord(below(dir), { dir: '../../docs', sources: {}, written: {} });
  },
  'a folder outside of the clone': (dir) => {
    plantFolder(join(folder, 'elsewhere'));
    plantRecord(below(dir), { dir: '../../../elsewhere', sources: {}, written: {} });
  },
  'a link to a folder': (dir) => {
    plantFolder(join(dir, 'docs'));
    plantRecord(below(dir), { dir: 'written-abc', sources: {}, written: {} });
    symlinkSync('../../docs', below(dir, 'written-abc'));
  },
  'a link as the folder of programs': (dir) => {
    plantFolder(join(dir, 'docs/written-abc'));
    plantRecord(join(dir, 'docs'), { dir: 'written-abc', sources: {}, written: {} });
    mkdirSync(join(dir, '.lab'));
    symlinkSync('../docs', below(dir));
  },
  'the record of a real program': (dir) => {
    plantFolder(below(dir, record.dir));
    plantRecord(below(dir), {});
  },
  'sources that are not there': (dir) => {
    plantFolder(below(dir, 'written-abc'));
    const sources = Object.fromEntries(SOURCES.map((path) => [path, null]));
    plantRecord(below(dir), { dir: 'written-abc', sources, written: { 'cli.mjs': null } });
  },
  'states of another kind': (dir) => {
    plantFolder(below(dir, 'written-abc'));
    plantRecord(below(dir), {
      dir: 'written-abc',
      sources: statesOf(dir, SOURCES),
      written: statesOf(below(dir, 'written-abc'), ['cli.mjs']),
    });
  },
};

/** Commits what was planted in the fork, clones it, and runs the first command in the clone. */
async function askInClone(plant: (dir: string) => void): Promise<Ended> {
  const dir = mkdtempSync(join(folder, 'fork-'));
  git(fork.dir, 'worktree', 'add', '--detach', '--force', dir);
  plant(dir);
  git(dir, 'add', '--force', '.lab');
  git(dir, 'add', '.');
  git(dir, 'commit', '--quiet', '-m', 'planted');
  const clone = `${dir}-clone`;
  git(folder, 'clone', '--quiet', dir, clone);
  expect(lstatSync(below(clone)).isSymbolicLink() || readdirSync(below(clone)).length > 0).toBe(true);
  symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
  return ask(clone);
}

function ask(dir: string): Promise<Ended> {
  const env = { npm_lifecycle_event: undefined, WHODUNIT_HOME: join(folder, 'state') };
  return runProgram(process.execPath, [join(dir, 'bin/whodunit.mjs'), 'killers'], env);
}

describe('a fork that brings a program', () => {
  it.each(Object.entries(FORMS))('does not have it run: %s', async (_, plant) => {
    const { status, stdout } = await askInClone(plant);
    expect(stdout).not.toContain('PLANTED');
    expect(stdout).toContain('memcg-oom');
    expect(status).toBe(0);
  });
});

describe('a program that was written here', () => {
  const program = (): string => below(fork.dir, record.dir);
  const rewrite = async (): Promise<void> => {
    rmSync(below(fork.dir), { recursive: true, force: true });
    await ask(fork.dir);
    record = JSON.parse(readFileSync(below(fork.dir, 'current.json'), 'utf8')) as typeof record;
  };

  it('is not run when it was changed afterwards', async () => {
    await rewrite();
    writeFileSync(join(program(), 'cli.mjs'), PLANTED);
    expect((await ask(fork.dir)).stdout).not.toContain('PLANTED');
  });

  it.each([['the folder of programs'], ['its own folder']])(
    'is not run where others can write to %s',
    async (which) => {
      await rewrite();
      const open = which === 'its own folder' ? program() : below(fork.dir);
      chmodSync(open, 0o777);
      const broken = join(program(), 'cli.mjs');
      const { size } = lstatSync(broken);
      writeFileSync(broken, PLANTED.padEnd(size, ' '));
      forgeState(broken);
      const { status, stdout } = await ask(fork.dir);
      expect([status, stdout.includes('PLANTED')]).toEqual([0, false]);
    },
  );

  it.skipIf(process.getuid?.() !== 0)('is not run when somebody else owns its folder', async () => {
    await rewrite();
    const broken = join(program(), 'cli.mjs');
    writeFileSync(broken, PLANTED);
    forgeState(broken);
    chownSync(below(fork.dir), NOBODY, NOBODY);
    const { status, stdout } = await ask(fork.dir);
    expect([status, stdout.includes('PLANTED')]).toEqual([0, false]);
  });

  it('is run when nothing of this is so: what keeps it from being run is not something else', async () => {
    await rewrite();
    const broken = join(program(), 'cli.mjs');
    writeFileSync(broken, PLANTED);
    forgeState(broken);
    expect((await ask(fork.dir)).stdout).toBe('PLANTED\n');
  });

  /** Writes into the record what only somebody can know who sees the files of this clone. */
  function forgeState(path: string): void {
    const { size, ino, ctimeNs } = lstatSync(path, { bigint: true });
    const written = { 'cli.mjs': `${size} ${ino} ${ctimeNs}` };
    writeFileSync(below(fork.dir, 'current.json'), JSON.stringify({ ...record, written }));
  }
});
