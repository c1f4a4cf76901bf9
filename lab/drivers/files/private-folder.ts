import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HostError } from '../../model/errors/errors.ts';
import { findForeignBelowOurs } from './find-obstacle.mjs';
import { mendOwner } from './host-fault.mjs';
import { detailsOfCause } from './name-host-fault.ts';
import { statePaths } from '../../model/host/paths.ts';
import { makeFolders } from './make-folders.ts';

/** Bits of a mode: what others may do, and the sticky bit of folders that everybody shares, such as /tmp. */
const FOR_OTHERS = 0o077;
const WRITE_FOR_OTHERS = 0o022;
const STICKY = 0o1000;

/** What a lab puts into its state folder; the cache is there too where nobody named another place. */
const OURS = [
  ...Object.values(statePaths('')).flatMap((path) => (typeof path === 'string' ? [basename(path)] : [])),
  'cache',
];

/**
 * Makes the state folder, or makes sure that only its owner has access, whatever the umask: it holds keys of machines and
 * kubeconfigs, and what is written there is believed and started.
 *
 * @throws HostError LAB_STATE_FOLDER when it belongs to somebody else, or is open to others and not only ours to close;
 *   LAB_LOCK when it cannot be made.
 */
export function ensurePrivateFolder(path: string): void {
  const found = makeFolder(path);
  refuseOthers(path, found, 'WHODUNIT_HOME');
  if ((found.mode & FOR_OTHERS) === 0) return;
  const holdsOther = readdirSync(path).some((name) => !OURS.some((start) => name.startsWith(start)));
  if (holdsOther || (found.mode & STICKY) !== 0) throw tooOpen(path, found, 'WHODUNIT_HOME', 'chmod 700');
  chmodSync(path, 0o700);
}

/**
 * Makes sure that nobody else can write to the cache, if there is one: programs in it are started. Others may read it.
 *
 * @throws HostError LAB_STATE_FOLDER like `ensurePrivateFolder`.
 */
export function refuseOpenCache(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  refuseOthers(path, found, 'WHODUNIT_CACHE');
  const folders = [path, ...readdirSync(path).map((name) => join(path, name))];
  for (const folder of folders) {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined || (stat.mode & WRITE_FOR_OTHERS) === 0) continue;
    throw tooOpen(folder, stat, 'WHODUNIT_CACHE', 'chmod -R go-w');
  }
}

function makeFolder(path: string): Stats {
  try {
    makeFolders(dirname(path));
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    return statSync(path);
  } catch (error) {
    throw new HostError(
      'LAB_LOCK',
      `the state folder ${path} cannot be made`,
      detailsOfCause(error, 'free some disk; WHODUNIT_HOME=<folder> chooses another folder'),
    );
  }
}

function refuseOthers(path: string, { uid }: Stats, variable: string): void {
  const own = process.geteuid?.() ?? uid;
  if (uid === own) return;
  throw new HostError('LAB_STATE_FOLDER', `${path} belongs to user ${uid}, and you are user ${own}`, {
    lastSeen: 'who owns it could replace keys, and programs that we start',
    tryNext:
      findForeignBelowOurs(path) === undefined
        ? `give this lab a folder of its own: ${variable}=<folder>`
        : mendOwner(path),
  });
}

function tooOpen(path: string, { mode }: Stats, variable: string, command: string): HostError {
  return new HostError(
    'LAB_STATE_FOLDER',
    `${path} is open to other users (mode ${(mode & 0o7777).toString(8)})`,
    {
      lastSeen: 'they could replace keys, and programs that we start',
      tryNext: `${command} ${path}; or give this lab a folder of its own: ${variable}=<folder>`,
    },
  );
}
