import { GO_PACKAGE } from '../../../provision/components/go.ts';
import { hasSudo, installPackages } from '../../../provision/components/host-packages.ts';
import { renderAsRoot } from './as-root.ts';
import type { AutoFix, Check, CheckContext, CheckFinding } from './check.ts';

/** A tool or file, and the Debian package it is in. */
interface Requirement {
  /** A program on PATH, or a file when it begins with a slash. */
  readonly needs: string;
  readonly package: string;
}

const REQUIREMENTS: readonly Requirement[] = [
  { needs: 'qemu-system-x86_64', package: 'qemu-system-x86' },
  { needs: 'qemu-img', package: 'qemu-utils' },
  { needs: 'libvirtd', package: 'libvirt-daemon-system' },
  { needs: 'virtlogd', package: 'libvirt-daemon-system' },
  { needs: 'virsh', package: 'libvirt-clients' },
  { needs: 'mmdebstrap', package: 'mmdebstrap' },
  { needs: 'xsltproc', package: 'xsltproc' },
  { needs: 'ssh', package: 'openssh-client' },
  { needs: 'ssh-keygen', package: 'openssh-client' },
  { needs: 'mke2fs', package: 'e2fsprogs' },
  { needs: 'unshare', package: 'util-linux' },
  { needs: 'mount', package: 'mount' },
  // Normal users build images inside a user namespace; small enough that root installs it for them.
  { needs: 'newuidmap', package: 'uidmap' },
  { needs: '/etc/ssl/certs/ca-certificates.crt', package: 'ca-certificates' },
  { needs: 'go', package: GO_PACKAGE },
];

/** Go is used from where its installer and Debian put it, on PATH or not. */
const GO_PLACES = ['/usr/local/go/bin/go', '/usr/lib/go/bin/go'];

/** All host packages at once, so that one line installs everything. */
export const checkPackages: Check = {
  name: 'packages',
  look: async (context) => {
    const { facts } = context;
    const absent = REQUIREMENTS.filter(({ needs }) => !isPresent(context, needs));
    if (absent.length === 0) return { ok: true, found: `all ${REQUIREMENTS.length} tools and files` };
    const packages = [...new Set(absent.map((requirement) => requirement.package))];
    const finding = {
      ok: false,
      found: `missing: ${absent.map((requirement) => requirement.needs).join(', ')}`,
      why: 'guests are built and run with them',
    };
    if (facts.findTool('apt-get') === undefined) {
      return {
        ...finding,
        fix: `there is no apt-get here: install what Debian has in ${packages.join(' ')}`,
      };
    }
    return { ...finding, ...(await planInstallation(context, packages)) };
  },
};

function isPresent({ facts }: CheckContext, needs: string): boolean {
  if (needs.startsWith('/')) return facts.fileExists(needs);
  if (facts.findTool(needs) !== undefined) return true;
  return needs === 'go' && GO_PLACES.some((path) => facts.fileExists(path));
}

async function planInstallation(
  context: CheckContext,
  packages: readonly string[],
): Promise<Partial<CheckFinding>> {
  const { host, facts } = context;
  const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (host.uid === 0) {
    return { fix: `apt-get update && ${install}`, autoFix: installation(context, [], packages) };
  }
  const fix = renderAsRoot(facts, ['apt-get update', install]);
  return facts.findTool('sudo') !== undefined && (await hasSudo(host))
    ? { fix, autoFix: installation(context, ['sudo', '-n'], packages) }
    : { fix };
}

function installation({ host }: CheckContext, sudo: readonly string[], packages: readonly string[]): AutoFix {
  return {
    title: `install ${packages.join(' ')}`,
    apply: () => installPackages(host, sudo, packages),
  };
}
