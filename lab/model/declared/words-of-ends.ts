import type { How } from '../killers/killers.ts';
import type { Outcome } from './scenario.ts';

/** A word that people search for when a container has died, and which scenarios produce it. */
export interface WordOfEnd {
  readonly kind: string;
  readonly says: string;
  readonly source: string;
  /** Whether an end that a scenario expects is one of those that this word is about. */
  readonly produces: (end: Pick<Outcome, 'killer' | 'how' | 'reason' | 'exitCode' | 'then'>) => boolean;
}

const MEMCG = ['memcg-oom', 'container-init-oom'];
/** They end a pod while its sandbox is made, or take the sandbox. */
const BEFORE_IT_RAN = ['container-init-oom', 'sandbox-died'];
const GROUP: How = 'group-kill';

/** Words of kernel, runtime and kubelet that are neither a reason nor an exit code of a container. */
export const WORDS_OF_ENDS: Readonly<Record<string, WordOfEnd>> = {
  CrashLoopBackOff: {
    kind: 'reason of a waiting container',
    says: 'the kubelet waits before it starts a container again that has ended several times; it does not say why it ended: lastState does',
    source: 'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy',
    produces: ({ then }) => then === 'restarts',
  },
  CONSTRAINT_MEMCG: {
    kind: 'word of the kernel',
    says: 'the limit of a memory cgroup was hit, and the kernel kills in it; oom_memcg= says whose limit that was',
    source: 'https://github.com/torvalds/linux/blob/master/mm/oom_kill.c',
    produces: ({ killer }) => MEMCG.includes(killer),
  },
  CONSTRAINT_NONE: {
    kind: 'word of the kernel',
    says: 'the memory of the whole machine ran out, and the kernel kills the process with the highest badness',
    source: 'https://github.com/torvalds/linux/blob/master/mm/oom_kill.c',
    produces: ({ killer }) => killer === 'global-oom',
  },
  'Memory cgroup out of memory': {
    kind: 'line of the kernel',
    says: 'the kernel has killed this process at the limit of a memory cgroup; the line oom-kill: before it says which one',
    source: 'https://github.com/torvalds/linux/blob/master/mm/oom_kill.c',
    produces: ({ killer }) => MEMCG.includes(killer),
  },
  'signal: killed': {
    kind: 'words of programs in Go',
    says: 'a program that it had started was ended by SIGKILL; who sent that, it does not know (os/exec, ProcessState.String)',
    source: 'https://pkg.go.dev/os#ProcessState.String',
    produces: ({ killer, exitCode = [] }) => exitCode.includes(137) && killer !== 'self-exit',
  },
  FailedCreatePodSandBox: {
    kind: 'reason of an event',
    says: 'the runtime could not make the sandbox of a pod, so that none of its containers was started; the message of the event says why',
    source: 'https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go',
    produces: ({ killer }) => BEFORE_IT_RAN.includes(killer),
  },
  'memory.oom.group': {
    kind: 'file of the kernel',
    says: 'when it is 1, an OOM kill in this cgroup kills all of its processes; the kubelet sets it on cgroup v2 from 1.28 on',
    source: 'https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files',
    produces: ({ how = [] }) => how.includes(GROUP),
  },
};
