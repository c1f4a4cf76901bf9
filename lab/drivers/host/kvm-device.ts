import { chmodSync, chownSync, closeSync, openSync, statSync } from 'node:fs';

const DEVICE = '/dev/kvm';

/** Group, mode and reach of /dev/kvm. */
export interface KvmDevice {
  readonly uid: number;
  readonly gid: number;
  /** Permission bits, as in chmod. */
  readonly mode: number;
  /** Whether this process can open it for reading and writing. */
  readonly usable: boolean;
  /** Why not, other than that its mode forbids it: `it is not a device`, or the system's name for the error (`ENXIO`). */
  readonly broken?: string;
}

/**
 * Looks at /dev/kvm, and opens it: its mode may allow what the module (not loaded) or a container (not let through) does
 * not. Undefined when there is none.
 *
 * @param path another file, for tests.
 */
export function findKvmDevice(path: string = DEVICE): KvmDevice | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined; // no KVM module
  const { uid, gid, mode } = stat;
  const device = { uid, gid, mode: mode & 0o777 };
  if (!stat.isCharacterDevice()) return { ...device, usable: false, broken: 'it is not a device' };
  const failure = tryToOpen(path);
  if (failure === undefined) return { ...device, usable: true };
  return { ...device, usable: false, ...(failure === 'EACCES' ? {} : { broken: failure }) };
}

/** Returns the system's name for why a device cannot be opened for reading and writing; undefined when it can. */
function tryToOpen(path: string): string | undefined {
  try {
    closeSync(openSync(path, 'r+'));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Gives /dev/kvm to a group, for reading and writing, as udev does on a normal host. Its owner stays. */
export function grantKvmDevice(gid: number): void {
  chownSync(DEVICE, statSync(DEVICE).uid, gid);
  chmodSync(DEVICE, 0o660);
}
