import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Context } from '../../lab/commands/context/context.ts';
import { seconds, type Row } from './numbers.ts';
import { runLab } from './session.ts';

/** What is not an input of an image, or is too large to be copied. */
const LEFT_OUT = new Set(['node_modules', '.git', '.lab', 'cdktf.out']);
/** Parts of the cache that hold programs; images and root file systems are made here from nothing. */
const PROGRAMS = ['components', 'toolchains', 'providers'];
/** A component that is built from the project's own source within a second. */
const SOURCE_FILE = 'provision/guest/witness/main.go';

/**
 * An image after a change of one component against the first one, root file system included. Works on a copy of the
 * project and on a cache of its own, which borrows the built programs.
 */
export async function benchmarkImages(context: Context): Promise<Row[]> {
  mkdirSync(dirname(context.cacheDir), { recursive: true });
  // Next to the cache, so that programs can be hard links.
  const folder = mkdtempSync(join(dirname(context.cacheDir), 'whodunit-bench-images-'));
  try {
    const cacheDir = join(folder, 'cache');
    mkdirSync(cacheDir);
    for (const part of PROGRAMS.filter((folder) => existsSync(join(context.cacheDir, folder)))) {
      execFileSync('cp', ['-al', join(context.cacheDir, part), join(cacheDir, part)]);
    }
    const project = join(folder, 'project');
    cpSync(context.projectDir, project, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(source.slice(context.projectDir.length + 1)),
    });
    symlinkSync(join(context.projectDir, 'node_modules'), join(project, 'node_modules'));
    const env = { ...process.env, WHODUNIT_HOME: join(folder, 'state'), WHODUNIT_CACHE: cacheDir };
    const bake = () => runLab(join(project, 'bin/whodunit.mjs'), ['bake', '--json'], env);
    const full = await bake();
    appendFileSync(join(project, SOURCE_FILE), '\n// A change.\n');
    const changed = await bake();
    const cached = await bake();
    return [
      {
        what: 'image after a changed component / full bake (root file system and image)',
        ours: seconds(changed.ms),
        bare: seconds(full.ms),
        target: 0.3,
        unit: 's',
      },
      {
        what: 'bake with nothing to do / full bake',
        ours: seconds(cached.ms),
        bare: seconds(full.ms),
        unit: 's',
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
