import { constants } from 'node:fs';
import { lstat, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { UsageError } from '../../model/errors/errors.ts';
import { shellWord } from '../../model/text/shell.ts';
import { nameHostFault } from '../files/name-host-fault.ts';
import type { OpenedFile } from './bundle-file.ts';
import type { BundleReading } from './bundle-reading.ts';
import { unpack } from './unpack.ts';

/** The word for standard input, as in most programs. */
const STDIN_WORD = '-';

/**
 * Gives every file that is named, is below a folder that is named, or is packed in one of them. A named path may be a
 * link or a pipe, as `<(kubectl …)` is; below a folder only regular files are read, and no link is followed.
 *
 * @throws UsageError when a named path is not there, with all such paths. HostError when one may not be read.
 */
export async function* openBundle(
  paths: readonly string[],
  stdin: Readable,
  reading: BundleReading,
): AsyncGenerator<OpenedFile> {
  await refuseMissing(paths);
  for (const path of paths) {
    if (path === STDIN_WORD) yield* unpack('(stdin)', stdin, reading);
    else if ((await stat(path)).isDirectory()) yield* openFolder(path, reading);
    else yield* openFile(path, reading, 'follow');
    if (reading.isFull) return;
  }
}

async function refuseMissing(paths: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const path of paths) {
    if (path === STDIN_WORD) continue;
    try {
      await stat(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw nameHostFault(error, path);
      missing.push(path);
    }
  }
  if (missing.length === 0) return;
  throw new UsageError(`there is no file or folder ${missing.map((path) => shellWord(path)).join(', ')}`, {
    tryNext: missing.some((path) => LINK.test(path))
      ? 'nothing is fetched from the network: save its text in a file, and name that'
      : missing.some((path) => POD.test(path))
        ? 'a pod of a cluster that is up needs --kubeconfig <file>: npx whodunit help autopsy'
        : 'name files or folders that are there, or - for standard input',
  });
}

const LINK = /^https?:\/\//i;

/** What looks like `<namespace>/<pod>`, and like no file. */
const POD = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

async function* openFolder(folder: string, reading: BundleReading): AsyncGenerator<OpenedFile> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) names.push(name);
  } catch (error) {
    reading.fail(folder, error);
    return;
  }
  for (const name of names.sort()) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) reading.skip(path, 'went away');
    else if (stats.isDirectory()) yield* openFolder(path, reading);
    else if (stats.isFile()) yield* openFile(path, reading, 'refuse');
    else reading.skip(path, stats.isSymbolicLink() ? 'is a link' : 'is a device, pipe or socket');
    if (reading.isFull) return;
  }
}

async function* openFile(
  path: string,
  reading: BundleReading,
  links: 'follow' | 'refuse',
): AsyncGenerator<OpenedFile> {
  // A link, or a pipe that nobody writes to, may have taken the place of the file since it was looked at.
  const careful = links === 'refuse' ? constants.O_NOFOLLOW | constants.O_NONBLOCK : 0;
  try {
    const file = await open(path, constants.O_RDONLY | careful);
    yield* unpack(path, file.createReadStream(), reading);
    await file.close().catch(() => undefined);
  } catch (error) {
    reading.fail(path, error);
  }
}
