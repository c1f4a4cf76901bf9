import type { HostFacts } from '../../drivers/host/host-facts.ts';
import { grantKvmDevice } from '../../drivers/host/kvm-device.ts';
import { HostError } from '../../model/errors/errors.ts';
import { proveAccelerator } from './accelerator.ts';
import { renderAsRoot } from './as-root.ts';
import type { Check, CheckFinding } from './check.ts';

/** How guests will run. Emulation is slower, not wrong. */
export const checkAccelerator: Check = {
  name: 'accelerator',
  look: async ({ host, facts }) => {
    if (facts.findTool('qemu-system-x86_64') === undefined) {
      return {
        ok: false,
        found: 'not proven',
        why: 'qemu-system-x86_64 is not installed',
        after: 'packages',
      };
    }
    try {
      const { accelerator, reason } = await proveAccelerator(host, facts);
      const speed = accelerator === 'kvm' ? 'KVM' : 'TCG (emulation, 4 to 8 times slower than KVM)';
      return { ok: true, found: `${speed}: ${reason}` };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return {
        ok: false,
        found: error.lastSeen ?? error.message,
        why: error.message,
        fix: 'reinstall QEMU: apt-get install --reinstall qemu-system-x86 qemu-system-data seabios',
      };
    }
  },
};

/**
 * Finds a /dev/kvm that root may open and libvirt's own QEMU user may not: libvirt 9 then probes every QEMU binary
 * again at each call (measured: an apply of one domain 1 m 56 s instead of 0.8 s).
 */
export const checkKvmDevice: Check = {
  name: 'kvm-device',
  look: ({ host, facts }) => {
    const device = facts.findKvmDevice();
    if (device === undefined) return { ok: true, found: 'no /dev/kvm' };
    // Whoever asks gets the same answer, so that another group would change nothing; guests are emulated.
    if (device.broken !== undefined)
      return { ok: true, found: `/dev/kvm cannot be opened: ${device.broken}` };
    const found = `/dev/kvm has group ${device.gid}, mode ${device.mode.toString(8).padStart(4, '0')}`;
    if (host.uid !== 0) return lookAsUser(found, device.usable, facts);
    const kvm = facts.findGroupId('kvm');
    const isOpen = (device.mode & 0o006) === 0o006;
    if (isOpen || (device.gid === kvm && (device.mode & 0o060) === 0o060)) return { ok: true, found };
    const finding = {
      ok: false,
      found,
      why: 'the QEMU user of libvirt cannot open it, so libvirt probes QEMU again at each call: minutes instead of seconds',
    };
    if (kvm === undefined) return { ...finding, fix: 'the group kvm comes with libvirt', after: 'packages' };
    return {
      ...finding,
      fix: 'chgrp kvm /dev/kvm && chmod 660 /dev/kvm',
      autoFix: {
        title: 'give /dev/kvm to the group kvm, as udev does',
        apply: () => {
          grantKvmDevice(kvm);
          return Promise.resolve();
        },
      },
    };
  },
};

/** Without virtualisation in the CPU the device would be of no use anyway. */
function lookAsUser(found: string, usable: boolean, facts: HostFacts): CheckFinding {
  if (usable || facts.findCpuFlag() === undefined) return { ok: true, found };
  return {
    ok: false,
    found,
    why: `${facts.userName} may not open it, so guests would be emulated`,
    fix: `${renderAsRoot(facts, [`usermod -aG kvm ${facts.userName}`])}, then log in again`,
  };
}
