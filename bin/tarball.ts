/**
 * `npm run tarball [folder]`: a whodunit to install, with the library, and with the lock of its packages. npm would run this
 * itself before a pack, but no script runs by itself here (.npmrc).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeLibrary } from './library.ts';

const ROOT = join(import.meta.dirname, '..');
/** What npm reads of a package of a registry, but not of a file (decision 34); a lock file is not packed. */
const SHRINKWRAP = join(ROOT, 'npm-shrinkwrap.json');

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devDependencies?: unknown }>>;
}

/** The lock without what only this project's own tests need. */
function readProductionLock(): object {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const kept = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { devDependencies: _, ...entry }]) => [path, entry]);
  return { ...lock, packages: Object.fromEntries(kept) as Lock['packages'] };
}

const [folder = '.'] = process.argv.slice(2);
await writeLibrary(join(ROOT, 'dist'));
writeFileSync(SHRINKWRAP, `${JSON.stringify(readProductionLock(), undefined, 2)}\n`);
try {
  const words = ['pack', '--silent', '--pack-destination', resolve(folder)];
  const { status } = spawnSync('npm', words, { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(SHRINKWRAP);
}
