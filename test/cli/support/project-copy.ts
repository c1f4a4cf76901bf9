import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT, runProgram, type Ended } from './run-cli.ts';

/** What a command line without machines needs of the project. */
const PARTS = [
  'bin',
  'lab',
  'provision',
  'stacks',
  'scenarios',
  'bugs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'matrix.yaml',
  'components.yaml',
];

/** A copy of the project in which files can be changed. */
export interface ProjectCopy {
  readonly dir: string;
  /** Its state folder; not there before somebody makes it. */
  readonly home: string;
  /** Replaces a file; `undefined` removes a file or folder. */
  change(path: string, text: string | undefined): void;
  /** Makes a file or folder of the first level what it was. */
  restore(part: string): void;
  /** Extra environment comes on top of ours. */
  run(words: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
}

/** Copies the project like `copyProject`, but with the few scenarios and bugs of test/fixtures/small-project. */
export function copySmallProject(folder: string): ProjectCopy {
  const copy = copyProject(folder);
  for (const part of ['scenarios', 'bugs']) rmSync(join(copy.dir, part), { recursive: true });
  cpSync(join(PROJECT, 'test/fixtures/small-project'), copy.dir, { recursive: true });
  return copy;
}

/** Copies the project into a folder; node modules are shared. */
export function copyProject(folder: string): ProjectCopy {
  const dir = join(folder, 'project');
  const home = join(folder, 'state');
  mkdirSync(dir);
  const copy = (part: string): void => cpSync(join(PROJECT, part), join(dir, part), { recursive: true });
  PARTS.forEach(copy);
  symlinkSync(join(PROJECT, 'node_modules'), join(dir, 'node_modules'));
  return {
    dir,
    home,
    change: (path, text) => {
      if (text === undefined) return rmSync(join(dir, path), { recursive: true });
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    restore: copy,
    run: (words, env = {}) =>
      runProgram(process.execPath, [join(dir, 'bin/whodunit.mjs'), ...words], {
        npm_lifecycle_event: undefined,
        WHODUNIT_HOME: home,
        WHODUNIT_CACHE: undefined,
        ...env,
      }),
  };
}
