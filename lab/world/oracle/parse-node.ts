import type { EffectiveNode, Placement } from '../../model/saved/effective.ts';
import { RUNC_UNDER_TEST, RUNC_UNDER_TEST_PATH } from '../../model/components/under-test.ts';
import type { Expected } from './expected.ts';
import { expectSettings, parseSettings, settingsScript } from './settings.ts';

/** What the guest says of itself; the kubelet's settings, and its version and containerd's, come from the API. */
export type NodeFacts = Omit<EffectiveNode, 'name' | 'kubelet'> & { readonly kubeletDriver: string };

const SECTION = '== ';

/**
 * A script that prints what a node is, one section for each thing. The kubelet and containerd are not asked: what runs
 * of them is in the node's status, and starting a large program takes an emulated node four seconds.
 */
export function nodeFactsScript({
  sysctl,
  settings,
  programs,
}: Pick<Expected, 'sysctl' | 'settings' | 'programs'>): string {
  return `
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
section() { printf '${SECTION}%s\\n' "$1"; }
pid_of() { pgrep -xo "$1" || true; }
section cgroup; stat -fc %T /sys/fs/cgroup
section kernel; uname -r
section arguments; cat /proc/cmdline
section systemd; systemctl --version | head -n 1
section runc; runc --version | head -n 1
section ${RUNC_UNDER_TEST}; if [ -e ${RUNC_UNDER_TEST_PATH} ]; then ${RUNC_UNDER_TEST_PATH} --version | head -n 1; fi
section crun; if command -v crun > /dev/null; then crun --version | head -n 1; fi
section youki; if command -v youki > /dev/null; then youki --version | head -n 1; fi
section runsc; if command -v runsc > /dev/null; then runsc --version | head -n 1; fi
section kubepods
for name in kubepods.slice kubepods; do
  if [ -d "/sys/fs/cgroup/$name" ] || [ -d "/sys/fs/cgroup/memory/$name" ]; then echo "$name"; fi
done
section sysctl
for name in ${Object.keys(sysctl).join(' ')}; do printf '%s %s\\n' "$name" "$(sysctl -n "$name")"; done
section programs
for name in ${Object.keys(programs).join(' ')}; do
  case $name in ${RUNC_UNDER_TEST}) place=${RUNC_UNDER_TEST_PATH} ;; *) place=$name ;; esac
  if path=$(command -v "$place"); then printf '%s %s\\n' "$name" "$(sha256sum < "$path")"; fi
done
section place-kube-proxy; cat "/proc/$(pid_of kube-proxy)/cgroup"
section place-runsc; if pid=$(pgrep -of '^runsc-sandbox'); then cat "/proc/$pid/cgroup"; fi
section runsc-config; if [ -f /etc/containerd/runsc.toml ]; then cat /etc/containerd/runsc.toml; fi
${settingsScript(settings)}
section containerd-config; dump=$("/proc/$(pid_of containerd)/exe" config dump); echo "$dump"
# containerd 1.4 leaves the options of runtimes out; the place of kube-proxy shows what they do.
case $dump in *SystemdCgroup*) ;; *) cat /etc/containerd/config.toml ;; esac
`;
}

/** Reads what the script printed. */
export function parseNodeFacts(text: string, expected: Expected['settings'] = expectSettings({})): NodeFacts {
  const sections = splitSections(text);
  const get = (name: string): string => sections.get(name)?.trim() ?? '';
  const versions = ['kernel', 'systemd', 'runc', RUNC_UNDER_TEST, 'crun', 'youki', 'runsc']
    .map((name) => [name, pickVersion(get(name))] as const)
    .filter(([, version]) => version !== '');
  const places = ['kube-proxy', 'runsc'].flatMap((process) => {
    const path = findCgroupPath(get(`place-${process}`));
    return path === undefined ? [] : [[process, { path, placement: classifyPlacement(path) }] as const];
  });
  const sysctl = get('sysctl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
  const programs = get('programs')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
    .map(([name = '', sha256 = '']) => [name, sha256] as const);
  const settings = parseSettings(expected, get);
  return {
    cgroup: get('cgroup'),
    kernelArguments: get('arguments').split(/\s+/),
    versions: Object.fromEntries(versions),
    kubeletDriver: findKubeletDriver(get('kubepods').split('\n')),
    handlers: parseHandlers(get('containerd-config'), get('runsc-config')),
    sysctl: Object.fromEntries(sysctl),
    ...(programs.length === 0 ? {} : { programs: Object.fromEntries(programs) }),
    ...(settings === undefined ? {} : { settings }),
    cgroups: Object.fromEntries(places),
  };
}

/**
 * The version in what a program prints: `systemd 252 (252.39-1~deb12u1)`, `runc version 1.1.5+ds1`.
 */
function pickVersion(printed: string): string {
  const words = printed.split(/\s+/);
  return (words.at(-1) ?? '').replace(/^\((.*)\)$/, '$1');
}

function splitSections(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let current: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith(SECTION)) {
      current = line.slice(SECTION.length);
      sections.set(current, '');
    } else if (current !== undefined) {
      sections.set(current, `${sections.get(current) ?? ''}${line}\n`);
    }
  }
  return sections;
}

/** The kubelet names its top cgroup after its driver (`pkg/kubelet/cm/cgroup_manager_linux.go`, `ToSystemd`). */
function findKubeletDriver(tops: readonly string[]): string {
  const drivers = [
    ...(tops.includes('kubepods.slice') ? ['systemd'] : []),
    ...(tops.includes('kubepods') ? ['cgroupfs'] : []),
  ];
  return drivers.length === 1
    ? (drivers[0] ?? '')
    : drivers.join(' and ') || 'neither kubepods.slice nor kubepods';
}

/** The path of a process in the hierarchy that limits its memory: v1's memory controller, else v2. */
export function findCgroupPath(procCgroup: string): string | undefined {
  const entries = procCgroup
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line.trim()))
    .filter((match) => match !== null);
  const memory = entries.find((match) => match[1]?.split(',').includes('memory'));
  return (memory ?? entries.find((match) => match[1] === ''))?.[2];
}

/** Which driver made the cgroup of a container's process, by the form of its path. */
export function classifyPlacement(path: string): Placement {
  if (/^\/kubepods\.slice\/(?:[^/]+\.slice\/)*[^/]+\.scope(\/|$)/.test(path)) return 'systemd';
  if (/^\/kubepods\/(?:[^/]+\/)*pod[^/]+(\/|$)/.test(path)) return 'cgroupfs';
  if (/^\/system\.slice\/(?:.*\/)?kubepods[^/]*\.slice:/.test(path)) return 'outside';
  return 'unknown';
}

/** What decides which program runs a pod, and how; a dump has a dozen keys more, all of them defaults. */
const HANDLER_KEYS = ['runtime_type', 'BinaryName', 'ConfigPath', 'SystemdCgroup'];

/** Settings of the runtime handlers in a dump of containerd's configuration, of file version 2 or 3. */
export function parseHandlers(dump: string, runscConfig: string): Record<string, Record<string, string>> {
  const handlers: Record<string, Record<string, string>> = {};
  let current: Record<string, string> | undefined;
  for (const line of dump.split('\n')) {
    if (/^\s*\[/.test(line)) {
      const name = /\.containerd\.runtimes\.([\w-]+)(?:\.options)?\]\s*$/.exec(line)?.[1];
      current = name === undefined ? undefined : (handlers[name] ??= {});
    } else if (current !== undefined) {
      const [, key, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (key !== undefined && value !== undefined && HANDLER_KEYS.includes(key))
        current[key] = value.replace(/^(['"])(.*)\1$/, '$2');
    }
  }
  const shim = handlers['runsc'];
  if (shim?.['ConfigPath'] !== undefined && runscConfig !== '') {
    shim['systemd-cgroup'] = /^\s*systemd-cgroup\s*=\s*"?true"?\s*$/m.test(runscConfig) ? 'true' : 'false';
  }
  return handlers;
}
