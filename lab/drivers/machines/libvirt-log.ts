import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../model/host/environment.ts';

/**
 * Returns where libvirt writes what a domain's QEMU says (https://libvirt.org/kbase/debuglogs.html). Such a log
 * outlives its domain.
 */
export function domainLogPath(uri: string, domain: string, env: Environment = process.env): string {
  if (!uri.includes('///session')) return join('/var/log/libvirt/qemu', `${domain}.log`);
  const cache = env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache');
  return join(cache, 'libvirt', 'qemu', 'log', `${domain}.log`);
}

/** Removes libvirt's log of a domain that is gone. */
export function removeDomainLog(uri: string, domain: string): void {
  rmSync(domainLogPath(uri, domain), { force: true });
}
