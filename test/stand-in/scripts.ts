import { JOURNAL_SOURCES, KMSG_END } from '../../lab/world/cell/journals.ts';
import type { GuestBody } from './guest-body.ts';

const PLACE =
  '0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice/cri-containerd-1.scope';

/** What a guest answers to a script of the lab. What it does not know it does without a word, as most scripts do. */
export function answerScript(body: GuestBody, script: string): { stdout: string; status: number } {
  const file = /base64 -d > '?([^'\s]+)'? <<'WHODUNIT_EOF'\n([\s\S]*?)\nWHODUNIT_EOF/.exec(script);
  if (file !== null) body.memory.files[file[1] ?? ''] = Buffer.from(file[2] ?? '', 'base64').toString();
  const sysctl = /^sysctl -w (.*)$/.exec(script.trim())?.[1];
  for (const [, name = '', value = ''] of (sysctl ?? '').matchAll(/'?([\w.]+)=([^']*?)'?(?:\s|$)/g))
    body.memory.sysctl[name] = value;
  if (script.includes(KMSG_END))
    for (const channel of body.kernelLogs) channel.write(`12,2,${Date.now()},-;${KMSG_END}\n`);
  return { stdout: printFor(body, script), status: 0 };
}

function printFor(body: GuestBody, script: string): string {
  if (script.includes('section() {')) return describeNode(body, script);
  if (script.includes('/etc/kubernetes/admin.conf')) return body.api.kubeconfig();
  if (script.includes('journalctl --sync'))
    return ['sync', ...JOURNAL_SOURCES, 'end'].map((step) => `\n== ${step} 0 \n`).join('');
  if (script.includes('date -u -s')) return `${Date.now()}\n`;
  if (script.includes('date +%s.%N')) return `${(Date.now() / 1000).toFixed(9)}\n`;
  return '';
}

/** What the script of the oracle prints of a node that is what it was told to be. */
function describeNode({ spec, base, memory }: GuestBody, script: string): string {
  const names = /^for name in (.*); do printf '%s %s/m.exec(script)?.[1]?.split(' ') ?? [];
  const { kernel = '', containerd = '', runc = '', systemd = '' } = base.versions;
  const sections: Readonly<Record<string, string>> = {
    cgroup: 'cgroup2fs',
    kernel,
    arguments: spec.cmdline.join(' '),
    systemd: `systemd ${systemd} (${systemd}.39-1~deb12u1)`,
    runc: `runc version ${runc}`,
    crun: '',
    runsc: '',
    kubepods: 'kubepods.slice',
    sysctl: names
      .filter((name) => name !== '')
      .map((name) => `${name} ${memory.sysctl[name] ?? ''}`)
      .join('\n'),
    'place-kube-proxy': PLACE,
    'place-runsc': '',
    'runsc-config': '',
    'containerd-config': memory.files['/etc/containerd/whodunit.toml'] ?? `containerd ${containerd}`,
  };
  return Object.entries(sections)
    .map(([name, text]) => `== ${name}\n${text}\n`)
    .join('');
}
