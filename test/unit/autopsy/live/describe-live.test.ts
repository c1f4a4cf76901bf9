import { describe, expect, it } from 'vitest';
import { answer } from '../../../../lab/autopsy/answer.ts';
import { printCommands } from '../../../../lab/autopsy/live/describe-live.ts';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { haveOf, listOf, own, vmstat, type Having } from '../../../fixtures/autopsy/paste-parts.ts';
import { judgeCapture, loadCapture, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import { readTexts } from '../../evidence/bundle/read-texts.ts';

const NOW = Date.parse('2026-11-20T22:00:00Z');

/** The commands by the file that each prints, as a person reads them. */
function commandsFor(namespace: string, pod: string): ReadonlyMap<string, string> {
  const printed = printCommands({ namespace, pod, access: 'none', debugNamespace: 'default' }, NOW);
  return new Map(
    printed.split('\n').flatMap((line) => {
      const [, command, path] = /^(?!#)(.*) > (\S+)$/.exec(line) ?? [];
      return command === undefined || path === undefined ? [] : [[path, command] as const];
    }),
  );
}

/** What each command prints on the node of a capture, by its file. */
const OUTPUTS: Readonly<Record<string, (have: Having, capture: Capture) => string>> = {
  'pod.json': (have) => JSON.stringify(own(have)[0], null, 4),
  'events.json': (have) => JSON.stringify(listOf(have.events), null, 4),
  'crictl-inspect.json': (have) =>
    have.statuses.map((status) => JSON.stringify({ ...status, info: {} }, null, 2)).join('\n'),
  'before/proc/vmstat': vmstat,
  kmsg: (_, { files }) => files.get('node-1/kmsg.log') ?? '',
  'proc/vmstat': vmstat,
  'proc/sys/kernel/random/boot_id': () => '3f2a1c9e-55a1-4f6e-9d5e-0a4a1c1b7d10\n',
  'proc/mounts': () => 'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime 0 0\n',
  'proc/stat': ({ bootMicros }) => `btime ${Math.floor(bootMicros / 1e6)}\n`,
  'journal/kubelet.json': (_, { files }) => files.get('node-1/kubelet.jsonl') ?? '',
  'journal/runtime.json': (_, { files }) => files.get('node-1/containerd.jsonl') ?? '',
  'journal/system.json': (_, { files }) => files.get('node-1/system.jsonl') ?? '',
};

/** Counters as `cp --parents` leaves them: the newest reading of each that the commands name. */
function countersOf(capture: Capture, printed: string): Record<string, string> {
  const named = new Set([...printed.matchAll(/-name ([\w.]+)/g)].map(([, name]) => name));
  const files: Record<string, string> = {};
  for (const seen of readEvidence(capture.files, capture.record))
    if (seen.kind === 'cgroup-values' && named.has(seen.file) && !/[0-9a-f]{64}/.test(seen.path))
      files[`sys/fs/cgroup${seen.path}/${seen.file}`] = Object.entries(seen.values)
        .map(([name, value]) => `${name} ${value}\n`.trimStart())
        .join('');
  return files;
}

async function killerIn(
  files: Readonly<Record<string, string>>,
  pod: string,
  container: string,
): Promise<unknown> {
  const { deaths } = answer(await readTexts(files), { pod, container });
  const { killer, confidence } = deaths.at(-1)?.attribution ?? {};
  return { killer, confidence };
}

describe('the commands to run by hand', () => {
  it.each([
    [
      'the dead container',
      /^\{ .*crictl ps -a -q --label io\.kubernetes\.pod\.namespace=default --label io\.kubernetes\.pod\.name=web-0.*crictl inspect/m,
    ],
    ...['memory.events', 'memory.events.local', 'pids.events', 'memory.failcnt', 'memory.oom_control'].map(
      (name): [string, RegExp] => [
        name,
        new RegExp(
          String.raw`^find /sys/fs/cgroup -path '\*kubepods\*' \\\(.* -name ${name} .*-exec cp --parents`,
          'm',
        ),
      ],
    ),
    ['how far back journals are read', /^# Journals are read of the last 6 hours\. .*@1795190400/m],
  ])('get or say %s', (_what, wanted) => {
    const asked = { namespace: 'default', pod: 'web-0', access: 'none', debugNamespace: 'default' } as const;
    expect(printCommands(asked, NOW)).toMatch(wanted);
  });

  it.each([
    ['oom-single-container', { killer: 'memcg-oom', confidence: 'proven' }],
    ['sigkill-from-node', { killer: 'unknown', confidence: 'none' }],
    ['liveness-probe', { killer: 'liveness-probe', confidence: 'likely' }],
  ])('print what is read back, as files and in one paste: %s', async (name, expected) => {
    const capture = loadCapture(name);
    const have = haveOf(capture, judgeCapture(capture).attribution.victim);
    if (have === undefined) throw new TypeError(`${name} has no witness`);
    const { namespace, pod } = have.victim;
    const asked = { namespace, pod, access: 'none', debugNamespace: 'default' } as const;
    const printed = [...commandsFor(namespace, pod)].map(([path, command]) => {
      const print = OUTPUTS[path];
      if (print === undefined) throw new TypeError(`nobody knows what ${command} prints`);
      return { path, command, text: print(have, capture) };
    });
    expect(printed.map(({ path }) => path).sort()).toEqual(Object.keys(OUTPUTS).sort());
    const { container } = capture.record.victim;
    const question = `${namespace}/${pod}`;
    const files = Object.fromEntries(printed.map(({ path, text }) => [path, text]));
    const counters = countersOf(capture, printCommands(asked, NOW));
    expect(await killerIn({ ...files, ...counters }, question, container)).toEqual(expected);
    const paste = printed.map(({ command, text }) => `root@node-1:~# ${command}\n${text}`).join('\n');
    expect(await killerIn({ 'paste.txt': paste }, question, container)).toEqual(expected);
  });
});
