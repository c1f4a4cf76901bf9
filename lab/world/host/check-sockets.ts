import { join } from 'node:path';
import { domainName, worldLibvirtName } from '../../model/host/machine.ts';
import type { Check } from './check.ts';

/** Longest path of a socket: `sun_path` has 108 bytes, the last one is a NUL (unix(7)). */
const MAX_SOCKET_PATH = 107;
/** What libvirt keeps of a domain's name in paths (virDomainDefGetShortName in libvirt's src/conf/domain_conf.c). */
const SHORT_NAME = 20;
/** libvirt counts the domains that a daemon has started; a session daemon that ends begins again. */
const LATE_DOMAIN_ID = 9999;

/**
 * The socket between libvirt and each QEMU, `monitor.sock` below `libDir` (libvirt's src/qemu/qemu_conf.c): for a normal
 * user in the folder of configurations, which may have a long path.
 */
export const checkSockets: Check = {
  name: 'sockets',
  look: ({ host, facts }) => {
    const lib = host.uid === 0 ? '/var/lib/libvirt/qemu' : join(facts.configFolder, 'libvirt', 'qemu', 'lib');
    const domain = domainName(worldLibvirtName(host.stateDir, 'default'), 'node-1').slice(0, SHORT_NAME);
    const path = join(lib, `domain-${LATE_DOMAIN_ID}-${domain}`, 'monitor.sock');
    const length = Buffer.byteLength(path);
    if (length <= MAX_SOCKET_PATH) {
      return { ok: true, found: `paths of ${length} bytes, ${MAX_SOCKET_PATH} at most` };
    }
    const room = Buffer.byteLength(facts.configFolder) - (length - MAX_SOCKET_PATH);
    return {
      ok: false,
      found: `${path} has ${length} bytes, ${MAX_SOCKET_PATH} at most`,
      why: 'libvirt talks to each machine through this socket, and Linux takes no longer path',
      fix:
        `export XDG_CONFIG_HOME=<folder of at most ${room} bytes>; ` +
        'a session daemon that runs keeps the old one until it has been idle for two minutes',
    };
  },
};
