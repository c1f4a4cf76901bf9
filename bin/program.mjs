/**
 * Loads the program. Node takes a quarter of a second to load hundreds of source files through tsx, so they are written
 * into few, once for each state of the sources. That only saves time: where nothing can be written, tsx loads the
 * sources.
 */
import {
  existsSync,
  lstatSync,
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
import { describeState } from '../lab/drivers/files/file-state.mjs';

const ENTRY = 'lab/cli.ts';
/** The same as it was written. */
const FILE = 'cli.mjs';
/** Says which program is the current one, and what it was made from: `{ dir, sources, written }`, both `{ path: state }`. */
const CURRENT = 'current.json';
/** What else decides what is written. */
const BESIDE = ['package.json', 'tsconfig.json', 'bin/program.mjs'];
/** Nearly every command loads these packages, which are some two hundred files. */
const WRITTEN = ['commander', 'fastest-levenshtein', 'picocolors', 'yaml', 'zod'];
/** A packed whodunit has none. */
const LOCK = 'package-lock.json';
/** A lab that runs may still load parts of a program that another one has taken the place of. */
const KEPT_MS = 7 * 24 * 60 * 60_000;
const WRITABLE_BY_OTHERS = 0o022;

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

/**
 * The program that was written from the sources as they are now. A clone may bring a folder like ours, with any content
 * and any digest of it, since git takes what is added by force. It cannot bring inodes and times of the last change: only
 * who saw the files of this clone can have made a record that has them.
 */
function findWritten(projectDir, folder) {
  const current = readCurrent(folder);
  if (current === undefined) return undefined;
  const { dir, sources, written } = current;
  const isSame = (root, states) =>
    Object.entries(states).every(([path, before]) => before !== null && before === readState(root, path));
  const has = (states, paths) => paths.every((path) => Object.hasOwn(states, path));
  const isOurs =
    has(sources, [ENTRY, ...BESIDE]) &&
    has(written, [FILE]) &&
    isSame(projectDir, sources) &&
    isSame(join(folder, dir), written);
  return isOurs ? join(folder, dir, FILE) : undefined;
}

function readCurrent(folder) {
  try {
    if (!isFolderOfOurs(folder)) return undefined;
    const { dir, sources, written } = JSON.parse(readFileSync(join(folder, CURRENT), 'utf8'));
    const isWhole = sources instanceof Object && written instanceof Object;
    return isWhole && /^written-\w+$/.test(dir) && isFolderOfOurs(join(folder, dir))
      ? { dir, sources, written }
      : undefined;
  } catch {
    return undefined; // it was never written, or not to its end
  }
}

/** Whether only this user and root can change what is in a folder, which is not behind a link. */
function isFolderOfOurs(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && isOwn(found) && (found.mode & WRITABLE_BY_OTHERS) === 0;
}

function isOwn({ uid }) {
  return uid === process.getuid() || uid === 0;
}

/** The state of a file. Null of what is not a file of ours: a link may lead to a file whose state everybody knows. */
function readState(root, path) {
  const found = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
  if (found?.isFile() !== true) return null;
  return describeState(found);
}

async function tryWrite(projectDir, folder) {
  try {
    // It may be the first file in the state folder, which is only for its owner.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isFolderOfOurs(folder)) return undefined;
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
      external: listLoadedAsTheyAre(projectDir),
      // Bundled packages of the time before ESM ask for modules of Node in their own way.
      banner: {
        js: "import { createRequire as nodeRequire } from 'node:module'; const require = nodeRequire(import.meta.url);",
      },
      format: 'esm',
      platform: 'node',
      target: 'node20',
      metafile: true,
      logLevel: 'silent',
      sourcemap: 'linked',
      sourcesContent: false,
    });
    const beside = existsSync(join(projectDir, LOCK)) ? [...BESIDE, LOCK] : BESIDE;
    // Packages change with the lock.
    const own = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
    const paths = [...own, ...beside];
    const changed = paths.find((path) => lstatSync(join(projectDir, path)).ctimeMs >= startedAt);
    if (changed !== undefined) throw new Error(`${changed} may have been read before it was changed`);
    makeCurrent(folder, {
      dir: basename(outdir),
      sources: readStates(projectDir, paths),
      written: readStates(outdir, readdirSync(outdir)),
    });
    return join(outdir, FILE);
  } catch (error) {
    rmSync(outdir, { recursive: true, force: true });
    throw error;
  } finally {
    await stop();
  }
}

/** The packages that are not written into the program. */
function listLoadedAsTheyAre(projectDir) {
  const { dependencies } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => !WRITTEN.includes(name));
}

function readStates(root, paths) {
  return Object.fromEntries(paths.map((path) => [path, readState(root, path)]));
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
