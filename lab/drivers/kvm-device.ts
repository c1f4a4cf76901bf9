import { accessSync, chmodSync, chownSync, constants, statSync } from 'node:fs';

const DEVICE = '/dev/kvm';

/** Group, mode and reach of /dev/kvm. */
export interface KvmDevice {
  readonly uid: number;
  readonly gid: number;
  /** Permission bits, as in chmod. */
  readonly mode: number;
  /** Whether this process may open it for reading and writing. */
  readonly usable: boolean;
}

/** Looks at /dev/kvm; undefined when there is none. */
export function findKvmDevice(): KvmDevice | undefined {
  try {
    const { uid, gid, mode } = statSync(DEVICE);
    return { uid, gid, mode: mode & 0o777, usable: isReadWritable(DEVICE) };
  } catch {
    return undefined; // no KVM module
  }
}

function isReadWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Gives /dev/kvm to a group, for reading and writing, as udev does on a normal host. Its owner stays. */
export function grantKvmDevice(gid: number): void {
  chownSync(DEVICE, statSync(DEVICE).uid, gid);
  chmodSync(DEVICE, 0o660);
}
