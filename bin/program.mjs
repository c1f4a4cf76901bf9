/**
 * Loads the program. Node takes a quarter of a second to load hundreds of source files through tsx, so they are written
 * into few, once for each state of the sources. That only saves time: where nothing can be written, tsx loads the
 * sources.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ENTRY = 'lab/cli.ts';
/** The same as it was written. */
const FILE = 'cli.mjs';
/** Says which program is the current one, and what sources it was made from: `{ dir, sources: { path: state } }`. */
const CURRENT = 'current.json';
/** What else decides what is written. */
const BESIDE = ['package-lock.json', 'package.json', 'tsconfig.json', 'bin/program.mjs'];
/** A lab that runs may still load parts of a program that another one has taken the place of. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * @param {string} projectDir
 * @returns {Promise<{ main(words: readonly string[]): Promise<number> }>}
 */
export async function loadProgram(projectDir) {
  const folder = join(projectDir, '.lab', 'program');
  const written = findWritten(projectDir, folder) ?? (await tryWrite(projectDir, folder));
  if (written !== undefined) {
    process.setSourceMapsEnabled(true); // a stack names the sources
    return import(pathToFileURL(written).href);
  }
  const { register } = await import('tsx/esm/api');
  register();
  return import('../lab/cli.ts');
}

/** The program that was written from the sources as they are now. */
function findWritten(projectDir, folder) {
  const current = readCurrent(folder);
  if (current === undefined) return undefined;
  const isSame = Object.entries(current.sources).every(([path, before]) => {
    const { size, ctimeMs } = readState(projectDir, path);
    return size === before?.size && ctimeMs === before?.ctimeMs;
  });
  const written = join(folder, current.dir, FILE);
  return isSame && existsSync(written) ? written : undefined;
}

function readCurrent(folder) {
  try {
    const { dir, sources } = JSON.parse(readFileSync(join(folder, CURRENT), 'utf8'));
    return typeof dir === 'string' && sources instanceof Object ? { dir, sources } : undefined;
  } catch {
    return undefined; // it was never written, or not to its end
  }
}

/** Size and the time of the last change, which nobody can set: a file that was changed has another one. */
function readState(projectDir, path) {
  const { size = -1, ctimeMs = 0 } = statSync(join(projectDir, path), { throwIfNoEntry: false }) ?? {};
  return { size, ctimeMs };
}

async function tryWrite(projectDir, folder) {
  try {
    // It may be the first file in the state folder, which is only for its owner.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return await write(projectDir, folder);
  } catch {
    // A folder of somebody else, a full disk, a source that is changed meanwhile or that is not a program: tsx reads
    // it.
    return undefined;
  }
}

async function write(projectDir, folder) {
  const startedAt = Date.now();
  const { build, stop } = await import('esbuild');
  const outdir = mkdtempSync(join(folder, 'written-'));
  try {
    const { metafile } = await build({
      absWorkingDir: projectDir,
      entryPoints: [ENTRY],
      outdir,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      metafile: true,
      logLevel: 'silent',
      sourcemap: 'linked',
      sourcesContent: false,
    });
    const paths = [...Object.keys(metafile.inputs), ...BESIDE];
    const sources = Object.fromEntries(paths.map((path) => [path, readState(projectDir, path)]));
    const changed = paths.find((path) => sources[path].ctimeMs >= startedAt);
    if (changed !== undefined) throw new Error(`${changed} may have been read before it was changed`);
    makeCurrent(folder, { dir: basename(outdir), sources });
    return join(outdir, FILE);
  } catch (error) {
    rmSync(outdir, { recursive: true, force: true });
    throw error;
  } finally {
    await stop();
  }
}

/** Names the program for the next starts, and removes those that nobody uses any more. */
function makeCurrent(folder, current) {
  const replaced = readCurrent(folder);
  const now = new Date();
  if (replaced !== undefined && existsSync(join(folder, replaced.dir)))
    utimesSync(join(folder, replaced.dir), now, now);
  const half = join(folder, `${CURRENT}.${process.pid}`);
  writeFileSync(half, JSON.stringify(current));
  renameSync(half, join(folder, CURRENT));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const ageMs = now.getTime() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (![CURRENT, current.dir].includes(name) && ageMs > KEPT_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
