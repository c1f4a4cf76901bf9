import { words, type FactRule } from './fact-rule.ts';
import { VERSION_RULES } from './version-rules.ts';

/** Reasons of containers, pods and events that people write of. */
export const KNOWN_REASONS: readonly string[] = [
  'OOMKilled',
  'OOMKilling',
  'SystemOOM',
  'CrashLoopBackOff',
  'FailedCreatePodSandBox',
  'FailedCreatePodContainer',
  'FailedKillPod',
  'ContainerStatusUnknown',
  'RunContainerError',
  'CreateContainerError',
  'CreateContainerConfigError',
  'ContainerCannotRun',
  'StartError',
  'ImagePullBackOff',
  'ErrImagePull',
  'SandboxChanged',
  'Evicted',
  'DeadlineExceeded',
  'NodeNotReady',
  'EvictionThresholdMet',
  'NodeShutdown',
  'TerminationByKubelet',
  'PreemptionByScheduler',
  'TaintManagerEviction',
  'UnexpectedAdmissionError',
  'FailedPostStartHook',
  'FailedPreStopHook',
  'ExceededGracePeriod',
  'ResizeDeferred',
  'ResizeInfeasible',
  'FailedMount',
  'FailedScheduling',
  'BackoffLimitExceeded',
];

const OS_RULES: readonly FactRule[] = [
  // Lines of os-release, where the name is in a line of its own.
  ...(
    [
      ['14.04', 'Trusty'],
      ['16.04', 'Xenial'],
      ['18.04', 'Bionic'],
      ['20.04', 'Focal'],
      ['22.04', 'Jammy'],
      ['24.04', 'Noble'],
    ] as const
  ).map(([release, code]): FactRule => ({
    name: 'os',
    value: `Ubuntu ${release}`,
    words: words(`\\bVERSION="?${release}[^"\\n]*\\b${code}`),
  })),
  { name: 'os', words: words(`\\b(Ubuntu\\s+\\d{2}\\.\\d{2})`) },
  { name: 'os', words: words(`\\b(Debian(?:\\s+GNU\\/Linux)?\\s+\\d{1,2})\\b(?![.]\\d+[.]\\d)`) },
  { name: 'os', value: 'Debian 13', words: words(`\\btrixie\\b`) },
  { name: 'os', value: 'Debian 12', words: words(`\\bbookworm\\b`) },
  { name: 'os', value: 'Debian 11', words: words(`\\bbullseye\\b`) },
  { name: 'os', words: words(`\\b(Amazon Linux\\s+(?:2023|2))\\b`) },
  { name: 'os', value: 'Amazon Linux 2023', words: words(`\\bAL2023\\b`) },
  { name: 'os', value: 'Amazon Linux 2', words: words(`\\bAL2\\b`) },
  {
    name: 'os',
    words: words(
      `\\b((?:Red Hat Enterprise Linux(?: Server| CoreOS)?|RHEL|RHCOS|CentOS(?: Stream| Linux)?|Rocky(?: Linux)?|AlmaLinux|Oracle Linux(?: Server)?)\\s*(?:release\\s+)?v?\\d+(?:\\.\\d+)?(?![\\d.]*\\/))`,
    ),
  },
  { name: 'os', words: words(`\\b(Fedora(?:\\s+(?:CoreOS|Linux))?\\s*\\d{2})\\b`) },
  {
    name: 'os',
    words: words(
      `\\b((?:Flatcar(?: Container Linux)?|Bottlerocket(?: OS)?|Container-Optimized OS|Talos(?: Linux)?|openSUSE \\w+|SLES|SUSE Linux Enterprise\\w*|SUSE(?=\\s+\\d)|Alpine(?: Linux)?|Arch ?Linux|NixOS|Photon OS|Azure Linux|Mariner|Raspbian)(?:[\\s(v]*\\d+(?:\\.\\d+)*)?)`,
    ),
  },
  {
    name: 'platform',
    value: 'Windows',
    words: words(
      `\\b(?:Windows Server \\d+|Microsoft Windows|windows\\/amd64|kubernetes\\.io\\/os"?:\\s*"?windows|windows nodes?|osImage:? Windows|hcsshim|on Windows)\\b`,
    ),
  },
  { name: 'platform', value: 'arm64', words: words(`\\b(?:arm64|aarch64|Graviton|Raspberry Pi)\\b`) },
  ...(
    [
      ['GKE', '(?:-gke\\.|\\bGKE\\b)'],
      ['EKS', '(?:-eks-|\\bEKS\\b)'],
      ['AKS', '\\bAKS\\b'],
      ['OpenShift', '\\b(?:OpenShift|OCP)\\b'],
      ['k3s', '\\bk3s(?!\\.)\\w*'],
      ['k3d', '\\bk3d\\b'],
      ['RKE2', '\\brke2\\w*'],
      ['kind', '\\b(?:kindest\\/node|kind v\\d|kind create cluster|kind cluster|kind-control-plane\\b)'],
      ['minikube', '\\bminikube\\b'],
      ['MicroK8s', '\\bmicrok8s\\b'],
      ['k0s', '\\bk0s\\b'],
      ['Talos', '\\btalos(?:ctl)?\\b'],
      ['Docker Desktop', '\\bDocker Desktop\\b'],
    ] as const
  ).map(([value, text]): FactRule => ({ name: 'product', value, words: words(text) })),
];

const CGROUP_RULES: readonly FactRule[] = [
  {
    name: 'cgroup',
    value: 'v2',
    words: words(
      `\\bcgroups?[\\s-]*(?:version[\\s:]*)?v?2\\b|\\bcgroup2fs\\b|Cgroup Version:\\s*2|unified (?:cgroup )?hierarchy`,
    ),
  },
  {
    name: 'cgroup',
    value: 'v1',
    words: words(`\\bcgroups?[\\s-]*(?:version[\\s:]*)?v?1\\b|Cgroup Version:\\s*1|\\bfailCgroupV1\\b`),
  },
  {
    name: 'cgroup',
    value: 'v2',
    role: 'inferred',
    words: words(
      `\\bmemory\\.(?:max|high|events|oom\\.group|peak|swap\\.max|swap\\.current|current)\\b|\\bcpu\\.(?:max|weight)\\b|\\b(?:memory|cpu|io)\\.pressure\\b`,
    ),
  },
  {
    name: 'cgroup',
    value: 'v1',
    role: 'inferred',
    words: words(
      `\\bmemory\\.(?:limit_in_bytes|oom_control|usage_in_bytes|memsw\\.\\w+|kmem\\.\\w+)|\\/sys\\/fs\\/cgroup\\/(?:memory|cpu,cpuacct|pids|systemd)\\/`,
    ),
  },
  {
    name: 'runtime driver',
    words: words(
      `(?:(?:docker|containerd|cri-o|runtime) cgroup driver|native\\.cgroupdriver)[\\\\"'=:\\s]+(systemd|cgroupfs)`,
    ),
  },
  // The kubelet has put it into a slice, and the runtime took the name for a path.
  {
    name: 'runtime driver',
    value: 'cgroupfs',
    words: words(`\\bkubepods[\\w.-]*\\.slice:(?:cri-containerd|crio|docker):`),
  },
  {
    name: 'kubelet driver',
    words: words(
      `(?<!(?:docker|containerd|cri-o|runtime) |native\\.)cgroup[- ]?Driver[\\\\"'=:\\s]+(systemd|cgroupfs)`,
    ),
  },
  { name: 'kubelet driver', words: words(`\\b(systemd|cgroupfs) (?:as )?(?:the )?cgroup driver`) },
  {
    name: 'kubelet driver',
    value: 'systemd',
    role: 'inferred',
    words: words(`kubepods(?:-[\\w-]+)?\\.slice`),
  },
  {
    name: 'kubelet driver',
    value: 'cgroupfs',
    role: 'inferred',
    words: words(`\\/kubepods\\/(?:burstable|besteffort|pod)`),
  },
  { name: 'runtime driver', value: 'systemd', words: words(`SystemdCgroup"?\\s*[=:]\\s*true`) },
  { name: 'runtime driver', value: 'cgroupfs', words: words(`SystemdCgroup"?\\s*[=:]\\s*false`) },
  {
    name: 'runtime driver',
    value: 'systemd',
    role: 'inferred',
    words: words(`\\b(?:cri-containerd|crio|docker)-[0-9a-f]{12,64}\\.scope`),
  },
];

const SYMPTOM_RULES: readonly FactRule[] = [
  {
    name: 'exit code',
    words: words(
      `(?<!: )exit(?:ed)?[\\s_]?(?:with[\\s_])?(?:code|status)["\\s:=(of]*(?:was |is )?(\\d{1,3})\\b`,
    ),
  },
  {
    name: 'exit code',
    words: words(
      `\\b(?:exit(?:ed|s)?|status|code|error) (?:with )?\\(?(12[5-8]|13[0-9]|14[0-9]|15[0-9])\\)?\\b`,
    ),
  },
  { name: 'exit code', words: words(`\\bSIG(?:KILL|TERM|SEGV|ABRT|BUS|INT|QUIT)\\s+\\((1[2-5]\\d)\\)`) },
  { name: 'exit code', words: words(`\\bcode\\s+(\\d{1,3})\\b(?=.*exit)`) },
  {
    name: 'reason',
    // The code of a call is not what an object says.
    words: words(`(?<!\\bcode\\s?=\\s?)\\b(${KNOWN_REASONS.join('|')})\\b`),
  },
  {
    name: 'reason',
    words: words(`\\breason["\\s:=]+(Error|Completed|Unknown|Unhealthy|Killing|BackOff)\\b`),
  },
  {
    name: 'reason',
    value: 'Error',
    words: /\breason\b[^.\n]{0,60}\bis\s+["'`]?Error\b|[`"']Error[`"'] (?:status|reason)\b/g,
  },
  { name: 'reason', value: 'SystemOOM', words: words(`\\bSystem OOM\\b`) },
  // Events as kubectl prints them.
  { name: 'reason', words: /\bWarning\s{2,}([A-Z][A-Za-z]{3,})\s{2,}\S/g },
  {
    name: 'signal',
    words: words(`\\b(SIGKILL|SIGTERM|SIGSEGV|SIGABRT|SIGBUS|SIGSYS|SIGINT|SIGQUIT|SIGHUP)\\b`),
  },
  { name: 'signal', words: words(`\\bsignal:? (killed|terminated|segmentation fault|aborted|bus error)`) },
  { name: 'counter', words: words(`\\b((?:oom_kill|oom_group_kill|oom)\\s+\\d+)\\s*$`) },
  {
    name: 'counter',
    words: words(
      `\\b((?:container_oom_events_total|node_vmstat_oom_kill|kube_pod_container_status_restarts_total)(?:\\{[^}]*\\})?\\s+\\S+)`,
    ),
  },
  { name: 'counter', words: words(`\\b((?:some|full) avg10=[\\d.]+)`) },
  {
    name: 'node',
    value: 'hung',
    words: words(
      `\\b(?:node|host|machine|OS|system|server)s?\\b[^.\\n]{0,30}\\b(?:hangs?|hung|freezes?|froze|frozen|unresponsive|locks? up|stuck completely)\\b`,
    ),
  },
  {
    name: 'node',
    value: 'hung',
    words: words(`soft lockup|hung_task|blocked for more than \\d+ seconds|rcu_sched self-detected`),
  },
  {
    name: 'node',
    value: 'hung',
    words: words(
      `\\b(?:hung|frozen|unresponsive|unreachable)\\b[^.\\n]{0,30}\\bnodes?\\b|\\b(?:memory|page) thrashing\\b`,
    ),
  },
  {
    name: 'node',
    value: 'not ready',
    words: words(`\\bnodes?\\b[^.\\n]{0,30}\\b(?:Not ?Ready|unready|lose readiness)\\b`),
  },
  {
    name: 'node',
    value: 'rebooted',
    words: words(
      `(?<!\\b(?:on|of|in|per) (?:\\w+ ){0,2})\\bnodes?\\b[^.\\n]{0,20}\\b(?:reboots?|rebooted|restarted)\\b|kernel panic`,
    ),
  },
  {
    name: 'setting',
    words: words(
      `\\b((?:swapBehavior|failSwapOn|singleProcessOOMKill|memoryThrottlingFactor|podPidsLimit|shutdownGracePeriod|evictionMaxPodGracePeriod|memoryManagerPolicy|cpuManagerPolicy|topologyManagerPolicy|serializeImagePulls|maxParallelImagePulls|userNamespaces|idsPerPod|cgroupsPerQOS|failCgroupV1)["']?\\s*[:=]\\s*["']?-?[\\w.%]+)`,
    ),
  },
  // A feature gate has several capitals; fields of objects begin with a small letter.
  {
    name: 'setting',
    words: /\b((?!SystemdCgroup)[A-Z][a-z]+(?:[A-Z]+[a-z0-9]*)+["']?\s*[=:]\s*["']?(?:true|false))\b/g,
  },
  {
    name: 'reason',
    value: 'OOM kill',
    role: 'absent',
    words: words(
      `\\b(?:no|not|without|isn't|wasn't|never)\\b(?:\\s+(?:an?|any|been|really|due to|because of|caused by|related to|killed by|limited or|the))*\\s+(?:OOM(?:[- ]?kill\\w*)?(?![\\w-]|\\s+(?:events?|metrics?|messages?|lines?|reason|status))|out of memory|memory (?:issue|problem)s?)|nothing to do with (?:resources?|memory|OOM)`,
    ),
  },
  {
    name: 'reason',
    value: 'OOM kill',
    role: 'inferred',
    words: words(`\\bOOM[- ]?kill(?:s|ed|er|ing)?\\b|\\bout of memory\\b`),
  },
];

/** Every rule. The first that reads some words counts for them. */
export const FACT_RULES: readonly FactRule[] = [
  ...VERSION_RULES,
  ...OS_RULES,
  ...CGROUP_RULES,
  ...SYMPTOM_RULES,
];
