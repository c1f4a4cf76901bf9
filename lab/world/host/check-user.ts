import { CommandError } from '../../model/errors/errors.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { renderAsRoot } from './as-root.ts';
import type { Check } from './check.ts';

/** Ids that a Debian root file system is unpacked with; what useradd gives by default. */
const SUBORDINATE_IDS = 65_536;

/** Normal users build images as "root" of a user namespace, which needs subordinate ids. */
export const checkSubordinateIds: Check = {
  name: 'subordinate-ids',
  look: ({ host, facts }) => {
    if (host.uid === 0) return { ok: true, found: 'not needed by root' };
    const users = facts.countSubordinateIds('/etc/subuid');
    const groups = facts.countSubordinateIds('/etc/subgid');
    const found = `${users} in /etc/subuid, ${groups} in /etc/subgid`;
    if (Math.min(users, groups) >= SUBORDINATE_IDS) return { ok: true, found };
    const range = '100000-165535';
    return {
      ok: false,
      found,
      why: 'a root file system has files of many users',
      fix: renderAsRoot(facts, [`usermod --add-subuids ${range} --add-subgids ${range} ${facts.userName}`]),
    };
  },
};

/** The user namespace itself, which some hosts forbid. */
export const checkUserNamespaces: Check = {
  name: 'user-namespaces',
  look: async ({ host, facts }) => {
    if (host.uid === 0) return { ok: true, found: 'not needed by root' };
    try {
      await host.run('unshare', ['-Ur', 'true'], {
        timeoutMs: TIME_LIMITS.host.unshare.ms,
        signal: host.signal,
      });
      return { ok: true, found: 'allowed' };
    } catch (error) {
      if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
      const setting = facts.fileExists('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')
        ? 'kernel.apparmor_restrict_unprivileged_userns=0'
        : 'kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000';
      return {
        ok: false,
        found: `unshare -Ur true: ${error.tail || error.message}`,
        why: 'images are built without root inside a user namespace',
        fix: `${renderAsRoot(facts, [`sysctl ${setting}`])}, or run the lab as root`,
      };
    }
  },
};
