/** The closed list of killers a verdict may name. `none` = the victim survived, `unknown` = proof is missing. */
export const KILLERS = [
  'memcg-oom',
  'global-oom',
  'kubelet-eviction',
  'kubelet-cgroup-missing',
  'liveness-probe',
  'api-deletion',
  'preemption',
  'deadline',
  'node-shutdown',
  'spec-change',
  'node-reboot',
  'runtime-stop',
  'runtime-lost',
  'container-init-oom',
  'sandbox-died',
  'systemd-oomd',
  'earlyoom',
  'pids-limit',
  'seccomp',
  'external-signal',
  'self-exit',
  'self-signal',
  'none',
  'unknown',
] as const;

/** Who ended the victim. */
export type Killer = (typeof KILLERS)[number];

/**
 * How the killer came to it, where one killer has several ways. `lab why` prints it, and a scenario may expect it.
 * Grouped: OOM kills; evictions by resource; probes; deletions; preemptions; signals; the runtime; the node.
 */
export const HOWS = [
  'group-kill',
  'single-process',
  'sysrq',
  'memory',
  'ephemeral-storage',
  'inodes',
  'pids',
  'container-storage-limit',
  'pod-storage-limit',
  'empty-dir-limit',
  'liveness-probe',
  'startup-probe',
  'delete',
  'eviction-api',
  'taint',
  'pod-gc',
  'definition-changed',
  'resized',
  'static-pod-removed',
  'scheduler',
  'critical-pod',
  'from-node',
  'from-another-pod',
  'from-same-pod',
  'shim-killed',
  'runtime-restarted',
  'sandbox-killed',
  'panic-on-oom',
  'boot',
] as const;

/** The way of a killer. */
export type How = (typeof HOWS)[number];

/** Which process of the container died: its first, or another one. */
export const VICTIMS = ['init', 'child'] as const;

/** The process that died. */
export type VictimProcess = (typeof VICTIMS)[number];

/** The layers whose claims are recorded beside an attribution. */
export const LAYERS = ['kernel', 'cgroup', 'runtime', 'kubelet', 'api'] as const;

/** One layer of the stack that reports on a death. */
export type Layer = (typeof LAYERS)[number];

/** The cgroup level at which a memory limit was hit. */
export const LEVELS = ['container', 'pod', 'qos', 'node'] as const;

/** Cgroup level of an OOM kill. */
export type Level = (typeof LEVELS)[number];

/** What judges a cell. */
export const VERDICTS = ['passed', 'failed', 'inconclusive', 'skipped', 'interrupted'] as const;

/** Verdict of one cell. */
export type Verdict = (typeof VERDICTS)[number];
