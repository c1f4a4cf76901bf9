import { words, type FactRule } from './fact-rule.ts';

/** The value of a reason that says in words that the kernel killed for want of memory. */
export const OOM_KILL = 'OOM kill';

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
  'NodeHasDiskPressure',
  'NodeHasInsufficientMemory',
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

/** Fields of the configuration of the kubelet that change how pods die. */
const SETTINGS: readonly string[] = [
  'swapBehavior',
  'failSwapOn',
  'singleProcessOOMKill',
  'memoryThrottlingFactor',
  'podPidsLimit',
  'shutdownGracePeriod',
  'evictionMaxPodGracePeriod',
  'memoryManagerPolicy',
  'cpuManagerPolicy',
  'topologyManagerPolicy',
  'serializeImagePulls',
  'maxParallelImagePulls',
  'userNamespaces',
  'idsPerPod',
  'cgroupsPerQOS',
  'failCgroupV1',
];

/** The flags of the kubelet with the same meaning, by the field of each. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...SETTINGS.map(
    (field) => [field.replaceAll(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`), field] as const,
  ),
  ['fail-cgroupv1', 'failCgroupV1'],
  ['pod-max-pids', 'podPidsLimit'],
]);

const FIELDS = new Map(SETTINGS.map((field) => [field.toLowerCase(), field]));

/** The field that a flag of the kubelet sets: `cpu-manager-policy` is `cpuManagerPolicy`. Sizes of letters are not told apart. */
export function fieldOfFlag(name: string): string {
  return FLAGS.get(name) ?? FIELDS.get(name.toLowerCase()) ?? name;
}

/** How ends, events and settings are known. */
export const SYMPTOM_RULES: readonly FactRule[] = [
  {
    name: 'exit code',
    words: words(
      `(?<!: )exit(?:ed)?[\\s_]?(?:with[\\s_])?(?:code|status)["\\s:=(of\`]*(?:was |is )?(\\d{1,3})\\b`,
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
    words: words(
      `(?<!\\bcode\\s?=\\s?)\\b(?!DeadlineExceeded\\W{0,2}\\s+errors?\\b)(${KNOWN_REASONS.join('|')})\\b`,
    ),
  },
  {
    name: 'reason',
    words: words(`\\breason["\\s:=]+(Error|Completed|Unknown|Unhealthy|Killing|BackOff)\\b`),
  },
  {
    name: 'reason',
    value: 'Error',
    words:
      /\breason\b[^.\n]{0,60}\bis\s+["'`]?Error\b|[`"']Error[`"'] (?:status|reason)\b|\b(?:generic|reported as|attributed to|shown as|marked as)\s+[`"']Error[`"']/g,
  },
  { name: 'reason', value: 'SystemOOM', words: words(`\\bSystem OOM\\b`) },
  { name: 'reason', value: 'SandboxChanged', words: words(`\\bPod sandbox changed\\b`) },
  // Events as kubectl prints them.
  { name: 'reason', words: /\bWarning\s{2,}([A-Z][A-Za-z]{3,})\s{2,}\S/g },
  {
    name: 'signal',
    words: words(`\\b(SIGKILL|SIGTERM|SIGSEGV|SIGABRT|SIGBUS|SIGSYS|SIGINT|SIGQUIT|SIGHUP)\\b`),
  },
  { name: 'signal', words: words(`\\bsignal:? (killed|terminated|segmentation fault|aborted|bus error)`) },
  // As the kernel says it.
  {
    name: 'signal',
    value: 'SIGSEGV',
    words: words(`\\bgeneral protection(?: fault)? ip:|\\bsegfault at [0-9a-f]+ ip\\b`),
  },
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
    words: words(`\\b((?:${SETTINGS.join('|')})["']?\\s*[:=]\\s*["']?-?[\\w.%]+)`),
  },
  { name: 'setting', words: words(`(?<![\\w])-{0,2}((?:${[...FLAGS.keys()].join('|')})=["']?-?[\\w.%]+)`) },
  // A feature gate has several capitals and never ends in "Enabled", as what a program says of its build does; fields of
  // objects begin with a small letter.
  {
    name: 'setting',
    words:
      /\b((?!SystemdCgroup)(?!\w+Enabled\b)[A-Z][a-z]+(?:[A-Z]+[a-z0-9]*)+["']?\s*[=:]\s*["']?(?:true|false))\b/g,
  },
  {
    name: 'reason',
    value: OOM_KILL,
    ofFailedTest: 'OOMKilled',
    role: 'absent',
    words: words(
      `\\b(?:no|not|without|isn't|wasn't|never|(?:do|does|did|has|have)n['’]t)\\b(?:\\s+(?:an?|any|mention|find|found|be|being|been|get|getting|have|having|has|see|seeing|sign of|of|actual|actually|real|really|due to|because of|caused by|related to|killed by|killed with|limited or|the))*\\s+["'\`]?(?:OOM(?:[- ]?kill\\w*)?(?![\\w-]|\\s+(?:events?|metrics?|messages?|lines?|reason|status))|out of memory|memory (?:issue|problem)s?)|nothing to do with (?:resources?|memory|OOM)|(?:OOM(?:[- ]?kill\\w*)?|out of memory)["']?,? but (?:it |this |the \\w+ )?(?:just |still )?(?:seems? to )?(?:keeps? )?(?:run(?:s|ning)?|works?)\\b`,
    ),
  },
  {
    name: 'reason',
    value: OOM_KILL,
    role: 'inferred',
    words:
      // Who wants to avoid one has none there.
      /(?<!\b(?:avoid\w*|prevent\w*|without (?:trigger|caus)ing)\s+(?:\w+\s+){0,2}|\b(?:avoid|prevent)\w*\s+(?:[\w-]+\s+){0,8}(?:trigger|caus)ing\s+(?:an?\s+)?|\bwill (?:invoke|trigger) (?:the |an )?)(?:\b(?:OOM|oom|Oom)[- _]?(?:[Kk]ill|KILL)(?:s|ed|er|ing)?\b(?!\s+\d)|\b[Oo]ut of memory\b|\bOOM(?:s|ed)?\b(?!\w*[-_ ]?(?:score|adj))|\boom(?= (?:events?|detection|status)))/g,
  },
];
