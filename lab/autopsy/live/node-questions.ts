import { shellQuote, shellWord } from '../../model/text/shell.ts';

/** One thing that a node is asked: a command of a POSIX shell, and the file that its output is kept in. */
interface NodeQuestion {
  /** Path below the folder of the node, as sosreport would have it. */
  readonly path: string;
  /** It only reads. What it prints is the file. */
  readonly command: string;
}

/** What a node is asked, in this order. */
export interface NodeQuestions {
  /** A `find` of counters: each file of it is kept under its own path. */
  readonly counters: string;
  readonly others: readonly NodeQuestion[];
}

/** What a node is asked about. */
export interface NodeWindow {
  /** The pod's uid, as the API gives it; left out where it is not known. */
  readonly podUid?: string;
  /** The pod by its name, where nobody asked for its uid. Only paths with uids tell pods apart: counters of every pod are read. */
  readonly podName?: { readonly namespace: string; readonly pod: string };
  /** Seconds since the epoch: journals are read from here on. */
  readonly since: number;
  /** Seconds since the epoch: and up to here. */
  readonly until: number;
}

/** The journals that say something of a death, by the name of the file. A unit that a node does not have prints nothing. */
const JOURNALS: Readonly<Record<string, string>> = {
  kubelet: '-u kubelet -u k3s -u k3s-agent -u rke2-server -u rke2-agent',
  runtime: '-u containerd -u crio -u docker -u cri-docker',
  system: '_COMM=systemd + _COMM=systemd-logind + _COMM=systemd-oomd + _COMM=earlyoom + _TRANSPORT=audit',
};

/**
 * What a node is asked, in the order in which evidence decays: counters go with the pod's cgroup, the runtime's record
 * with the next restart, the kernel's ring with new lines, the journal last. `/proc/vmstat` is read on both sides of the
 * kernel log, so that a kill in between is noticed.
 */
export function listNodeQuestions(asked: NodeWindow): NodeQuestions {
  const window = `--since @${asked.since} --until @${asked.until}`;
  const labels = labelsOf(asked);
  const others = [
    ...(labels === undefined ? [] : [{ path: 'crictl-inspect.json', command: inspect(labels) }]),
    { path: 'before/proc/vmstat', command: 'cat /proc/vmstat' },
    // Reading ends where the ring does: the device then says EAGAIN.
    { path: 'kmsg', command: 'dd if=/dev/kmsg iflag=nonblock bs=16k 2>/dev/null || true' },
    { path: 'proc/vmstat', command: 'cat /proc/vmstat' },
    { path: 'proc/sys/kernel/random/boot_id', command: 'cat /proc/sys/kernel/random/boot_id' },
    { path: 'proc/mounts', command: 'grep -w cgroup2 /proc/mounts || true' },
    { path: 'proc/stat', command: 'grep btime /proc/stat' },
    ...Object.entries(JOURNALS).map(([name, match]) => ({
      path: `journal/${name}.json`,
      command: `journalctl ${match} ${window} -o json --no-pager`,
    })),
  ];
  return { counters: findCounters(asked), others };
}

const COUNTERS = [
  'memory.events',
  'memory.events.local',
  'memory.max',
  'memory.peak',
  'memory.oom_control',
  'memory.failcnt',
  'memory.limit_in_bytes',
  'memory.max_usage_in_bytes',
  'pids.events',
];

/** Counters of the kubelet's slices and of the pod; other pods are left out. */
function findCounters({ podUid, podName }: NodeWindow): string {
  const names = COUNTERS.map((name) => `-name ${name}`).join(' -o ');
  if (podUid === undefined && podName !== undefined)
    return `find /sys/fs/cgroup -path '*kubepods*' \\( ${names} \\)`;
  // Paths have the uid with underscores where systemd manages cgroups.
  const ofPod =
    podUid === undefined ? '' : ` -o -path '*${podUid}*' -o -path '*${podUid.replaceAll('-', '_')}*'`;
  return `find /sys/fs/cgroup -path '*kubepods*' \\( ! -path '*[-/]pod[0-9a-f]*'${ofPod} \\) \\( ${names} \\)`;
}

/** The sockets of containerd, of k3s, and of CRI-O. Without one, crictl tries those of old releases and complains. */
const SOCKETS = '/run/containerd/containerd.sock /run/k3s/containerd/containerd.sock /run/crio/crio.sock';

/** Labels by which the runtime knows the containers of the pod. */
function labelsOf({ podUid, podName }: NodeWindow): string | undefined {
  if (podUid !== undefined) return `--label io.kubernetes.pod.uid=${podUid}`;
  if (podName === undefined) return undefined;
  const { namespace, pod } = podName;
  return `--label io.kubernetes.pod.namespace=${shellWord(namespace)} --label io.kubernetes.pod.name=${shellWord(pod)}`;
}

function inspect(labels: string): string {
  return (
    `for s in ${SOCKETS}; do [ -S "$s" ] && export CONTAINER_RUNTIME_ENDPOINT="unix://$s" && break; done; ` +
    `ids=$(crictl ps -a -q ${labels}) && for id in $ids; do crictl inspect "$id"; done`
  );
}

/** Renders one script of all questions. Whatever a question prints is between two lines that nobody can guess. */
export function renderNodeScript({ counters, others }: NodeQuestions, mark: string): string {
  return [
    `part() { printf '%s begin %s\\n' ${mark} "$1"; status=0; error=$(eval "$2" 2>&1 >&3) || status=$?; ` +
      `printf '\\n%s end %s %s\\n' ${mark} "$status" "$(printf %s "$error" | tr '\\n' ' ')"; } 3>&1`,
    `${counters} | while read -r file; do part "\${file#/}" 'cat "$file"'; done`,
    ...others.map(({ path, command }) => `part ${path} ${shellQuote(command)}`),
    `printf '%s over\\n' ${mark}`,
    'exit 0',
    '',
  ].join('\n');
}

/** The same questions as commands for a person on the node: each leaves a file in the working directory. */
export function listNodeCommands({ counters, others }: NodeQuestions): string[] {
  const folders = [
    ...new Set(others.flatMap(({ path }) => (path.includes('/') ? [path.replace(/\/[^/]*$/, '')] : []))),
  ];
  return [
    `mkdir -p ${folders.join(' ')}`,
    `${counters} -exec cp --parents {} . \\;`,
    ...others.map(({ path, command }) => `${/;|\|\|/.test(command) ? `{ ${command}; }` : command} > ${path}`),
  ];
}

/** What a node answered to one question. */
export interface NodeAnswer {
  readonly path: string;
  readonly text: string;
  /** Why it is not the whole answer. */
  readonly why?: string;
}

/** Reads what the script printed, as far as it came. */
export function parseNodeAnswers(printed: string, mark: string): { answers: NodeAnswer[]; isWhole: boolean } {
  const answers: NodeAnswer[] = [];
  let path: string | undefined;
  let lines: string[] = [];
  for (const line of printed.split('\n')) {
    if (!line.startsWith(`${mark} `)) {
      if (path !== undefined) lines.push(line);
      continue;
    }
    const [, act = '', word = '', ...rest] = line.split(' ');
    if (act === 'over') return { answers, isWhole: true };
    if (act === 'begin') path = word;
    if (act === 'end' && path !== undefined) {
      const why = word === '0' ? undefined : rest.join(' ').trim() || `exit code ${word}`;
      answers.push({ path, text: lines.join('\n'), ...(why === undefined ? {} : { why }) });
      path = undefined;
    }
    lines = [];
  }
  if (path !== undefined) answers.push({ path, text: lines.join('\n'), why: 'the answer broke off' });
  return { answers, isWhole: false };
}
