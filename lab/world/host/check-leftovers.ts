import type { Check } from './check.ts';
import { findLeasedGarbage, findStrays, findUnfinished } from './garbage.ts';

/** What dead labs left behind. It costs memory and disk, and keeps nothing from starting. */
export const checkLeftovers: Check = {
  name: 'leftovers',
  advisory: true,
  look: async ({ host, earlier }) => {
    const garbage = [...findLeasedGarbage(host), ...findUnfinished(host)];
    const libvirt = earlier.get('libvirt');
    // Daemons that are still to be started can list nothing.
    if (libvirt?.ok === true && libvirt.autoFix === undefined) garbage.push(...(await findStrays(host)));
    if (garbage.length === 0) return { ok: true, found: 'none' };
    const names = garbage.map(({ kind, target, owner }) => `${kind} ${target} (${owner})`);
    const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
    return {
      ok: false,
      found: `${names.slice(0, 3).join(', ')}${more}`,
      why: 'a lab that died left them behind',
      fix: 'npx whodunit gc',
    };
  },
};
