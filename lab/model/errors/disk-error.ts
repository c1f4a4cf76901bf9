import { HostError } from './errors.ts';

/** What is wrong with a disk that takes no more, by the code of the error (open(2), write(2)). */
const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EROFS: 'the disk is read-only',
};

/**
 * The error that a person reads about a disk that takes no more: HostError LAB_DISK. Any other error as it is.
 *
 * @param path what was written; default: as the error says.
 */
export function nameDiskError(error: unknown, path?: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, path: named, message } = error as NodeJS.ErrnoException;
  const refusal = code === undefined ? undefined : REFUSALS[code];
  if (refusal === undefined) return error;
  const file = path ?? named ?? 'a file';
  return new HostError('LAB_DISK', `${refusal}: ${file} could not be written`, {
    lastSeen: message,
    tryNext:
      code === 'EROFS'
        ? 'read what the kernel says about that disk (`dmesg`), or choose another one: WHODUNIT_HOME=<folder>'
        : 'free some disk space: npx whodunit gc, or npx whodunit cache prune',
    cause: error,
  });
}
