/** The kernel of a Debian suite: the flavour for virtual machines, which boots faster than the usual one. */
export const KERNEL_PACKAGE = 'linux-image-cloud-amd64';

/**
 * Debian packages of every guest, on top of the essential ones. What kubeadm's preflight asks for is among them.
 * earlyoom is there for one scenario and masked for all others (`masked-units.ts`).
 */
const GUEST_PACKAGES = [
  'conntrack',
  'containerd',
  'dbus',
  'earlyoom',
  'ethtool',
  'initramfs-tools',
  'iproute2',
  'iptables',
  'kmod',
  KERNEL_PACKAGE,
  'mount',
  'openssh-server',
  'procps',
  'runc',
  'socat',
  'systemd',
  'systemd-sysv',
  'udev',
  'util-linux',
  'zstd',
] as const;

/** Suites whose systemd is built without systemd-oomd: Debian has it since bookworm. */
const WITHOUT_OOMD: readonly string[] = ['bullseye'];

/** Packages of a suite's guests; systemd-oomd, where there is one, is masked until a scenario starts it. */
export function listGuestPackages(suite: string): string[] {
  return [...GUEST_PACKAGES, ...(WITHOUT_OOMD.includes(suite) ? [] : ['systemd-oomd'])];
}

/** Paths that dpkg leaves out: nobody reads a manual in a guest. */
export const EXCLUDED_PATHS = [
  '/usr/share/man/*',
  '/usr/share/doc/*',
  '/usr/share/info/*',
  '/usr/share/locale/*',
] as const;

/** Paths that dpkg keeps nevertheless: the licenses of what a guest is made of. */
export const INCLUDED_PATHS = ['/usr/share/doc/*/copyright'] as const;

/** Inside the root file system: what kube-proxy's image takes from the guest (`collect-iptables.sh`). */
export const IPTABLES_TAR = 'usr/share/whodunit/iptables.tar';
