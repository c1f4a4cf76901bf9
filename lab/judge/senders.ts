import { isOfContainer, parseCgroupPath } from '../model/cgroup-path.ts';
import { SI_KERNEL, SI_TIMER, SIGXCPU } from '../model/signals.ts';
import type { ProcessSeen, SignalSent } from '../model/observation.ts';
import type { EvidenceIndex, Process } from './evidence-index.ts';

/** Who sent a signal, as far as the records tell. `unseen`: neither name nor cgroup of the sender is known. */
export type SenderKind =
  | 'container'
  | 'runtime'
  | 'kubelet'
  | 'kernel'
  | 'systemd'
  | 'systemd-oomd'
  | 'earlyoom'
  | 'outside'
  | 'unseen';

/** Somebody who is neither the container itself nor acts for whoever asked the runtime. */
export const STRANGERS: readonly SenderKind[] = ['outside', 'systemd', 'systemd-oomd', 'earlyoom'];

/** What is known of the container whose signals are looked at. */
export interface SenderContext {
  readonly index: EvidenceIndex;
  readonly containerId: string;
  readonly processes: readonly ProcessSeen[];
  readonly init: Process;
  /** Cgroups that were seen to hold shims or conmons on this node. */
  readonly runtimeCgroups: ReadonlySet<string>;
  /** Whether somebody had asked the runtime to stop this container by then. */
  readonly isAsked: (at: number | undefined) => boolean;
}

/** ILL, BUS, FPE, SEGV, SYS: the kernel raises them for a fault of the process itself, with a positive si_code. */
const FAULTS = [4, 7, 8, 11, 31];
/**
 * Signals that the kernel sends with SI_KERNEL to the process that caused them, and to no other: faults and TRAP (force_sig
 * of kernel/signal.c), ALRM for the timer of alarm(2) (it_real_fn of kernel/time/itimer.c), and XCPU for the limit of
 * CPU time (check_rlimit of kernel/time/posix-cpu-timers.c). It sends others for somebody else as well: HUP, INT and QUIT
 * for a terminal, KILL for the OOM killer, for a tracer and for the first process of a pid namespace.
 */
const CAUSED_BY_TARGET = [...FAULTS, 5, 14, SIGXCPU];
const SYSTEMD = 1;
/** What ftrace prints for a program whose name it had not remembered (trace_find_cmdline in kernel/trace/trace.c). */
const NO_NAME = /^(?:<\.\.\.>)?$/;
/** Programs that runtimes are made of; process names are cut to 15 bytes. A name alone proves nothing. */
const RUNTIME_NAMES =
  /^(?:containerd|containerd-shim.*|runc(?::\[.*)?|runsc.*|crun|youki.*|kata-.*|conmon|conmonrs|crio|dockerd|cri-dockerd|k3s.*|rke2|k0s|exe)$/;
/**
 * Units in which runtimes live, whatever contains the node: containerd, CRI-O, docker with cri-dockerd, k3s, rke2, k0s,
 * microk8s, Canonical Kubernetes; `podruntime` is Talos' and some clouds' cgroup for both.
 */
const RUNTIME_UNIT =
  /(?:^|\/)(?:(?:containerd|crio|cri-o|docker|cri-docker|k3s|k3s-agent|rke2-server|rke2-agent|k0scontroller|k0sworker|snap\.microk8s\.daemon-\w+|snap\.k8s\.\w+)\.service|podruntime(?:\/\w+)?|runtime\.slice\/[\w.-]+)(?:\/|$)/;
const KUBELET_UNIT = /(?:^|\/)(?:kubelet\.service|snap\.kubelet.*\.service)(?:\/|$)/;
/** Where people and their programs are: whoever is called like a runtime there is none. */
const PERSONS = /(?:^|\/)(?:user\.slice|ssh(?:d)?\.service|cron\.service|crond\.service)(?:\/|$)/;

/** Who sent it. Process and cgroup decide; a name only beside a request that was made before, or a unit that it fits. */
export function senderOf(sent: SignalSent, context: SenderContext): SenderKind {
  if (FAULTS.includes(sent.signal) && sent.code > 0 && sent.code !== SI_KERNEL) return 'container';
  if (sent.code === SI_TIMER) return 'container';
  if (sent.code === SI_KERNEL) return CAUSED_BY_TARGET.includes(sent.signal) ? 'container' : 'kernel';
  if (isOwn(sent, context)) return 'container';
  if (sent.senderPid === SYSTEMD || isNestedInit(sent)) return 'systemd';
  const cgroup = sent.senderCgroup;
  if (isService(sent, 'systemd-oomd')) return 'systemd-oomd';
  if (isService(sent, 'earlyoom')) return 'earlyoom';
  if (isOfShim(sent, context)) return 'runtime';
  if (cgroup === undefined) return senderByName(sent, context);
  if (isInPod(cgroup) && !isConmon(cgroup)) return 'outside';
  if (context.runtimeCgroups.has(cgroup) || RUNTIME_UNIT.test(cgroup)) return 'runtime';
  if (KUBELET_UNIT.test(cgroup)) return RUNTIME_NAMES.test(sent.senderComm) ? 'runtime' : 'kubelet';
  // A runtime in a place of its own: its name counts when somebody had asked it, and it is no person's place.
  const named = RUNTIME_NAMES.test(sent.senderComm) || NO_NAME.test(sent.senderComm);
  return named && !PERSONS.test(cgroup) && context.isAsked(sent.at) ? 'runtime' : 'outside';
}

/** Who sent it where the cgroup could not be read: a name that a runtime has says nothing without a request. */
function senderByName(sent: SignalSent, context: SenderContext): SenderKind {
  if (NO_NAME.test(sent.senderComm)) return context.isAsked(sent.at) ? 'runtime' : 'unseen';
  if (!RUNTIME_NAMES.test(sent.senderComm)) return 'outside';
  return context.isAsked(sent.at) ? 'runtime' : 'unseen';
}

function isOwn(sent: SignalSent, { processes, containerId, index }: SenderContext): boolean {
  if (isOfContainer(sent.senderCgroup ?? '', containerId)) return true;
  if (sent.senderCgroup !== undefined && !processes.some((each) => each.cgroup === sent.senderCgroup))
    return false;
  const sender = index.processAt(sent.boot, sent.senderPid, sent.at);
  const endedAt = sender?.exit?.at;
  // Its number may belong to somebody else by now.
  if (endedAt !== undefined && sent.at !== undefined && sent.at > endedAt) return false;
  return sender !== undefined && processes.includes(sender.first);
}

/** Whether the sender is the systemd of a node that is a container itself (kind): the host gives it another number. */
function isNestedInit({ senderComm, senderCgroup = '' }: SignalSent): boolean {
  const { nodePrefix, subPath } = parseCgroupPath(senderCgroup);
  return senderComm === 'systemd' && nodePrefix !== '' && subPath === '/init.scope';
}

/** Whether the sender is the shim of this very container, or was started by it. */
function isOfShim(sent: SignalSent, { init }: SenderContext): boolean {
  const shim = init.latest.ppid;
  if (shim <= 1) return false;
  return sent.senderPid === shim || sent.senderParents?.includes(shim) === true;
}

/** Whether a cgroup is that of a pod or of a container of one. */
export function isInPod(cgroup: string): boolean {
  const { podUid, containerId, aroundNode } = parseCgroupPath(cgroup);
  return podUid !== undefined || (containerId !== undefined && !aroundNode);
}

function isConmon(cgroup: string): boolean {
  return parseCgroupPath(cgroup).isHelper;
}

/** A program may call itself anything; a service also lives in the cgroup of its unit. */
function isService(sent: SignalSent, name: string): boolean {
  const lives = sent.senderCgroup === undefined || sent.senderCgroup.includes(`/${name}.service`);
  const called =
    sent.senderComm === name || (sent.senderCgroup !== undefined && NO_NAME.test(sent.senderComm));
  return called && lives;
}

/** The cgroups of all shims and conmons of one boot that the trace has met: parents of first processes of containers. */
export function findRuntimeCgroups(index: EvidenceIndex, boot: string): Set<string> {
  const shims = new Set(
    index.processes
      .filter((each) => each.boot === boot && each.first.nsPid === 1 && each.latest.ppid > 1)
      .map((each) => each.latest.ppid),
  );
  const found = new Set<string>();
  for (const each of index.signalsIn(boot)) {
    const cgroups = [
      shims.has(each.senderPid) ? each.senderCgroup : undefined,
      shims.has(each.pid) ? each.targetCgroup : undefined,
    ];
    for (const cgroup of cgroups)
      if (cgroup !== undefined && cgroup !== '/' && !isInPod(cgroup) && !PERSONS.test(cgroup))
        found.add(cgroup);
  }
  return found;
}
