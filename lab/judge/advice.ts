import type { Attribution } from '../model/formats.ts';
import type { How, Killer } from '../model/killers.ts';

/** What to do about each killer, in one line for the person who is on call. The facts are those of docs/verdicts.md. */
const ADVICE: Readonly<Record<Killer, string>> = {
  'memcg-oom':
    'raise limits.memory, or make the program use less; memory.peak in the evidence says how much it used',
  'global-oom':
    'give every pod a memory limit and the node reserves (systemReserved, evictionHard); who asks for too little memory dies first',
  'kubelet-eviction':
    'set requests near the real use, and give the node more of what ran out; the message says what',
  'kubelet-cgroup-missing':
    "make containerd's SystemdCgroup and the kubelet's cgroupDriver the same, then reboot the node",
  'liveness-probe':
    'look at why the probe failed; give it a longer timeout or threshold, or a startupProbe for slow starts',
  'api-deletion':
    'ask who deleted the pod: its controller, a drain, a person; the audit log of the API names the user',
  preemption: 'give the pod a higher priorityClassName, or the cluster more room',
  deadline: 'raise activeDeadlineSeconds, or make the work shorter',
  'spec-change':
    'somebody changed the pod: its image, its resources, or the file of a static pod; ask who applied it',
  'node-shutdown':
    'the node was shut down in good order; drain it before, and give shutdownGracePeriod enough time',
  'node-reboot': 'find out why the node restarted: its console and the last lines of its kernel log',
  'runtime-stop':
    'somebody stopped the container behind the back of Kubernetes (crictl, ctr); look at who was on the node',
  'runtime-lost': 'look at who killed the shim or restarted containerd; its unit needs KillMode=process',
  'container-init-oom': 'limits.memory is too low to start a container at all: give it at least 16Mi',
  'sandbox-died': "look at who killed the pod's sandbox (pause); all its containers go with it",
  'systemd-oomd': 'set ManagedOOMMemoryPressure=auto for kubepods.slice, or take load off the node',
  earlyoom: 'let earlyoom avoid pods (--avoid), or leave low memory to the kubelet',
  'pids-limit': 'raise podPidsLimit, or find the processes that are not reaped (zombies count as well)',
  seccomp: 'allow the system call in the seccomp profile; its number is in the audit record',
  'external-signal': 'the cgroup of the sender says who it was; look at what runs there',
  'self-exit': "read the program's own log: nobody killed it",
  'self-signal': "read the program's own log or core dump: it crashed or aborted",
  none: 'nothing: it lives',
  unknown: 'see what the note says is missing, and run the cell again',
};

/** Where the way of the killer asks for something else. */
const BY_HOW: Readonly<Partial<Record<How, string>>> = {
  sysrq:
    'a person, or a program such as earlyoom, asked the kernel to kill (SysRq f): find out who; the node need not have been out of memory',
  'eviction-api': 'somebody drained the node or evicted the pod; a PodDisruptionBudget can make them wait',
  taint: 'add a toleration for the taint, or find out why the node has it',
  pids: 'find the pods that have too many processes, and set podPidsLimit',
  'empty-dir-limit': "raise the volume's sizeLimit, or clean it up",
  'container-storage-limit': 'raise limits.ephemeral-storage, or write less into the container',
  'pod-storage-limit': 'raise limits.ephemeral-storage of its containers, or write less',
  'startup-probe':
    'give the startupProbe a higher failureThreshold: the program starts slower than it allows',
  'from-another-pod': 'a container with hostPID sent the signal; its id is in the cgroup of the sender',
  'panic-on-oom': 'the node restarts when it is out of memory: set vm.panic_on_oom=0',
};

/** One line: what the reader may do about this death. */
export function adviseOn({ killer, how, process }: Pick<Attribution, 'killer' | 'how' | 'process'>): string {
  // A child alone dies without a trace in Kubernetes: the group is what a restart would need.
  if (killer === 'memcg-oom' && process === 'child' && how === 'single-process')
    return 'raise limits.memory; Kubernetes does not show this death, as the first process lives on';
  return (how === undefined ? undefined : BY_HOW[how]) ?? ADVICE[killer];
}
