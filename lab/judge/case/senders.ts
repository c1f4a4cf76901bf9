import { isOfContainer, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import {
  SI_KERNEL,
  SI_TIMER,
  SIGALRM,
  SIGBUS,
  SIGFPE,
  SIGILL,
  SIGSEGV,
  SIGSYS,
  SIGTRAP,
  SIGXCPU,
} from '../../model/evidence/signals.ts';
import type { ProcessSeen, SignalSent } from '../../model/evidence/observation.ts';
import type { EvidenceIndex, Process } from '../records/evidence-index.ts';
import { isAskedBy, type AskedTimes } from './asked-times.ts';
import { isAfter } from '../records/times.ts';

/** Who sent a signal. `unseen`: neither the name nor the cgroup of the sender is known. */
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

/** Senders that are neither the container nor act for whoever asked the runtime. */
export const STRANGERS: readonly SenderKind[] = ['outside', 'systemd', 'systemd-oomd', 'earlyoom'];

/** The container whose signals are examined. */
export interface SenderContext {
  readonly index: EvidenceIndex;
  readonly containerId: string;
  readonly processes: readonly ProcessSeen[];
  readonly init: Process;
  /** Cgroups that held shims or conmons on this node. */
  readonly runtimeCgroups: ReadonlySet<string>;
  /** When somebody asked for its end. */
  readonly asked: AskedTimes;
}

/** The kernel raises these for a fault of the process itself, with a positive si_code. */
const FAULTS = [SIGILL, SIGBUS, SIGFPE, SIGSEGV, SIGSYS];
/**
 * Signals that the kernel sends with SI_KERNEL only to the process that caused them: faults and TRAP (force_sig of
 * kernel/signal.c), ALRM for the timer of alarm(2) (it_real_fn of kernel/time/itimer.c), and XCPU for the limit of CPU
 * time (check_rlimit of kernel/time/posix-cpu-timers.c). Others it sends for somebody else as well: HUP, INT and QUIT
 * for a terminal; KILL for the OOM killer, a tracer, and the first process of a pid namespace.
 */
const CAUSED_BY_TARGET = [...FAULTS, SIGTRAP, SIGALRM, SIGXCPU];
const SYSTEMD = 1;
/** What ftrace prints for a program whose name it had not saved (trace_find_cmdline in kernel/trace/trace.c). */
const NO_NAME = /^(?:<\.\.\.>)?$/;
/**
 * The name of a program that was run from an open file, before Linux 6.14: the number of its descriptor (execveat in
 * fs/exec.c). youki runs a copy of itself so.
 */
const FROM_OPEN_FILE = /^\d+$/;
/** Names of programs of runtimes, cut to 15 bytes as process names are. A name by itself proves nothing. */
const RUNTIME_NAMES =
  /^(?:containerd|containerd-shim.*|runc(?::\[.*)?|runsc.*|crun|youki.*|kata-.*|conmon|conmonrs|crio|dockerd|cri-dockerd|k3s.*|rke2|k0s|exe)$/;
/**
 * Units of runtimes, whatever contains the node: containerd, CRI-O, docker with cri-dockerd, k3s, rke2, k0s, microk8s,
 * Canonical Kubernetes. Talos keeps kubelet, runtime and others in `podruntime`. A slice for runtimes (`runtime.slice` of some
 * clouds) also holds agents of the node: only the unit tells.
 */
const RUNTIME_UNIT =
  /(?:^|\/)(?:(?:containerd|crio|cri-o|docker|cri-docker|k3s|k3s-agent|rke2-server|rke2-agent|k0scontroller|k0sworker|snap\.microk8s\.daemon-\w+|snap\.k8s\.\w+)\.service|podruntime\/(?:runtime|containerd))(?:\/|$)|(?:^|\/)podruntime$/;
const KUBELET_UNIT = /(?:^|\/)(?:kubelet\.service|snap\.kubelet.*\.service|podruntime\/kubelet)(?:\/|$)/;
/** Cgroups of people and their programs. A program with the name of a runtime is not a runtime there. */
const PERSONS = /(?:^|\/)(?:user\.slice|ssh(?:d)?\.service|cron\.service|crond\.service)(?:\/|$)/;

/**
 * Says who sent a signal. Process and cgroup decide; a name counts only together with an earlier request, or in a unit
 * that fits it.
 */
export function senderOf(sent: SignalSent, context: SenderContext): SenderKind {
  if (FAULTS.includes(sent.signal) && sent.code > 0 && sent.code !== SI_KERNEL) return 'container';
  if (sent.code === SI_TIMER) return 'container';
  if (sent.code === SI_KERNEL) return CAUSED_BY_TARGET.includes(sent.signal) ? 'container' : 'kernel';
  if (isOwn(sent, context)) return 'container';
  if (sent.senderPid === SYSTEMD || isNestedInit(sent)) return 'systemd';
  const cgroup = sent.senderCgroup;
  if (isService(sent, 'systemd-oomd')) return 'systemd-oomd';
  if (isService(sent, 'earlyoom')) return 'earlyoom';
  const ofShim = senderOfShim(sent, context);
  if (ofShim !== undefined) return ofShim;
  if (cgroup === undefined) return senderByName(sent, context);
  if (isInPod(cgroup) && !isConmon(cgroup)) return 'outside';
  if (context.runtimeCgroups.has(cgroup) || RUNTIME_UNIT.test(cgroup)) return 'runtime';
  if (KUBELET_UNIT.test(cgroup)) return RUNTIME_NAMES.test(sent.senderComm) ? 'runtime' : 'kubelet';
  // A runtime in a cgroup of its own: its name counts when somebody had asked it, outside of the cgroups of people.
  const named = RUNTIME_NAMES.test(sent.senderComm) || NO_NAME.test(sent.senderComm);
  return named && !PERSONS.test(cgroup) && isAskedBy(sent.at, context.asked) ? 'runtime' : 'outside';
}

/**
 * Says who the sender is where its cgroup could not be read. The name of a runtime counts only together with a request.
 */
function senderByName(sent: SignalSent, context: SenderContext): SenderKind {
  if (NO_NAME.test(sent.senderComm)) return isAskedBy(sent.at, context.asked) ? 'runtime' : 'unseen';
  if (!RUNTIME_NAMES.test(sent.senderComm)) return 'outside';
  return isAskedBy(sent.at, context.asked) ? 'runtime' : 'unseen';
}

function isOwn(sent: SignalSent, { processes, containerId, index }: SenderContext): boolean {
  if (isOfContainer(sent.senderCgroup ?? '', containerId)) return true;
  if (sent.senderCgroup !== undefined && !processes.some((seen) => seen.cgroup === sent.senderCgroup))
    return false;
  const sender = index.processAt(sent.boot, sent.senderPid, sent.at);
  const endedAt = sender?.exit?.at;
  // Its pid may belong to another process by now.
  if (isAfter(sent.at, endedAt, { unknown: 'does not' })) return false;
  return sender !== undefined && processes.includes(sender.first);
}

/** Whether the sender is the systemd of a node that is a container (kind): the host gives it another pid than 1. */
function isNestedInit({ senderComm, senderCgroup = '' }: SignalSent): boolean {
  const { nodePrefix, subPath } = parseCgroupPath(senderCgroup);
  return senderComm === 'systemd' && nodePrefix !== '' && subPath === '/init.scope';
}

/**
 * Says who the sender is when it is the shim of this very container, or descends from it; undefined when it does not.
 * One shim serves the whole pod: the programs of its containers descend from it too, and so does what was added to one of
 * them. What is gone before its cgroup can be read has that of its nearest ancestor, so a cgroup of the runtime counts only
 * with the name of one.
 */
function senderOfShim(
  sent: SignalSent,
  { index, init, processes, asked }: SenderContext,
): SenderKind | undefined {
  const shim = init.latest.ppid;
  if (shim <= 1) return undefined;
  if (sent.senderPid === shim) return 'runtime';
  const depth = sent.senderParents?.indexOf(shim) ?? -1;
  if (depth < 0) return undefined;
  const cgroup = sent.senderCgroup;
  // The sandbox of gVisor and its helpers live in the cgroup of another container of the pod.
  if (cgroup !== undefined && processes.some((seen) => seen.cgroup === cgroup)) return 'runtime';
  if (cgroup !== undefined && isInContainer(cgroup)) return 'outside';
  const line = [sent.senderPid, ...(sent.senderParents ?? []).slice(0, depth)];
  const isOfContainers = line.some((pid) =>
    isInContainer(index.processAt(sent.boot, pid, sent.at)?.latest.cgroup ?? ''),
  );
  if (isOfContainers) return 'outside';
  const { senderComm } = sent;
  if (RUNTIME_NAMES.test(senderComm) || NO_NAME.test(senderComm)) return 'runtime';
  return FROM_OPEN_FILE.test(senderComm) && isAskedBy(sent.at, asked) ? 'runtime' : 'unseen';
}

/** Whether a cgroup is that of a container in a pod, or below it: no part of a runtime works there. */
function isInContainer(cgroup: string): boolean {
  const { podUid, containerId, isHelper } = parseCgroupPath(cgroup);
  return podUid !== undefined && containerId !== undefined && !isHelper;
}

/** Whether a cgroup is that of a pod, or of a container in one. */
export function isInPod(cgroup: string): boolean {
  const { podUid, containerId, aroundNode } = parseCgroupPath(cgroup);
  return podUid !== undefined || (containerId !== undefined && !aroundNode);
}

function isConmon(cgroup: string): boolean {
  return parseCgroupPath(cgroup).isHelper;
}

/** Whether a service sent a signal. A program may call itself anything; a service also lives in the cgroup of its unit. */
export function isService(sent: SignalSent, name: string): boolean {
  const lives = sent.senderCgroup === undefined || sent.senderCgroup.includes(`/${name}.service`);
  const called =
    sent.senderComm === name || (sent.senderCgroup !== undefined && NO_NAME.test(sent.senderComm));
  return called && lives;
}

/** The cgroups of all shims and conmons in one boot: of the parents of containers' first processes. */
export function findRuntimeCgroups(index: EvidenceIndex, boot: string): Set<string> {
  const shims = new Set(
    index.processes
      .filter((process) => process.boot === boot && process.first.nsPid === 1 && process.latest.ppid > 1)
      .map((process) => process.latest.ppid),
  );
  const found = new Set<string>();
  for (const sent of index.signalsIn(boot)) {
    const cgroups = [
      shims.has(sent.senderPid) ? sent.senderCgroup : undefined,
      shims.has(sent.pid) ? sent.targetCgroup : undefined,
    ];
    for (const cgroup of cgroups)
      if (cgroup !== undefined && cgroup !== '/' && !isInPod(cgroup) && !PERSONS.test(cgroup))
        found.add(cgroup);
  }
  return found;
}
