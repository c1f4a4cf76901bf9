import { isOfPods, levelOf } from '../../../model/evidence/cgroup-path.ts';
import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { How, Killer } from '../../../model/killers/killers.ts';
import type { SignalSent, StimulusDone, SystemSaid } from '../../../model/evidence/observation.ts';
import { SI_KERNEL, SI_USER, SIGXCPU, SIGXFSZ } from '../../../model/evidence/signals.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion, type Rule } from './conclusion.ts';
import { isWhole, type Source } from '../../case/coverage.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED, EXIT_SIGSEGV, EXIT_SIGTERM } from '../../records/exit-codes.ts';
import { findStartedPid } from '../../records/evidence-index.ts';
import { isRequestToStop } from '../../case/killing-signal.ts';
import { findOopses } from '../../case/kernel-oops.ts';
import { findStopBefore } from '../../case/requests/kubelet-stop.ts';
import { findRise } from '../../case/oom-counters.ts';
import { isInPod, STRANGERS } from '../../case/senders.ts';
import { isFault, isStopping, isTraced } from '../../records/signals.ts';
import { ANSWERS_MS, GIVES_UP_MS, MISSES_MS, SAID_MS } from '../../records/tolerances.ts';
import { isAtMost, isNear, spanMs } from '../../records/times.ts';

/** The OOM killer must be excluded before a signal is blamed. */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/** Two askers who do not know of each other had asked the program to stop: it may have ended for either. */
export const judgeTwoAskers: Rule = (file) => {
  const { rival, fault } = file.killingSignal ?? {};
  if (fault !== undefined && fault !== file.killingSignal?.sent)
    return leaveOpen(file, fault.ref, MAY_BE_FAULT);
  return rival && leaveOpen(file, rival.ref, MAY_BE_FIRST);
};

/** A process outside the container that is not the runtime. */
export const judgeExternalSignal: Rule = (file) => {
  const sender = file.killingSignal?.sender;
  if (sender === 'systemd-oomd' || sender === 'earlyoom') return blameService(file, sender);
  if (sender === undefined) return blameByLog(file);
  if (sender !== 'outside' && sender !== 'systemd') return undefined;
  // It ends what is left when the node goes down: who sees the node no more cannot say that it did not.
  if (sender === 'systemd' && !isWhole(file, ['trace'])) return undefined;
  const cgroup = file.killingSignal?.sent.senderCgroup;
  const conclusion = blame(file, 'external-signal');
  if (conclusion === undefined) return undefined;
  // Our own shell on the node sent it, and the lab wrote its pid down.
  const isOwn = findOwnStimulus(file) !== undefined;
  if (cgroup !== undefined || sender === 'systemd' || isOwn)
    return { ...conclusion, how: howFrom(file, cgroup ?? '') };
  return {
    ...conclusion,
    doubts: [...(conclusion.doubts ?? []), 'the cgroup of the sender could not be read'],
  };
};

/** A process of the container: a fault, abort(), its own timer or limit, or kill from inside. */
export const judgeSelfSignal: Rule = (file) => {
  if (file.killingSignal === undefined) return blameByExitCode(file);
  if (file.killingSignal.sender !== 'container') return undefined;
  const { sent } = file.killingSignal;
  // It may only have passed on a signal from somebody else, and the record of that signal is lost.
  if (isStopping(sent.signal) && !isWhole(file, ['trace'])) return undefined;
  const other = isStopping(sent.signal) ? findOtherCause(file, sent.at) : undefined;
  if (other !== undefined) return other;
  const conclusion = blame(file, 'self-signal');
  const limit = limitOf(sent);
  if (conclusion === undefined || limit === undefined) return conclusion;
  return {
    ...conclusion,
    doubts: [...(conclusion.doubts ?? []), `nobody saw who had set its limit of ${limit}`],
  };
};

/**
 * Which resource limit of the process a signal is for (setrlimit(2)). The program may have set the limit, or whoever
 * started it, or somebody outside with prlimit(2): no source tells.
 */
function limitOf({ signal, code, pid, senderPid }: SignalSent): string | undefined {
  if (signal === SIGXCPU && code === SI_KERNEL) return 'CPU time';
  // `send_sig(SIGXFSZ, current, 0)` of fs/read_write.c: it looks as if the process had sent the signal itself.
  return signal === SIGXFSZ && code === SI_USER && pid === senderPid ? 'file size' : undefined;
}

/** Sources that would show any other end. */
const HEARD: readonly Source[] = ['kmsg', 'pods', 'containerd'];

/**
 * Judges without a trace: the exit code is that of a fault, a signal that hardly anybody sends from outside. Kernel,
 * runtime and kubelet were heard and say nothing else.
 */
function blameByExitCode(file: CaseFile): Conclusion | undefined {
  const { end, first, oom } = file;
  if (first !== undefined || end?.exitCode === undefined || !isFault(end.exitCode - EXIT_SIGNALLED))
    return undefined;
  const isHeard = isWhole(file, HEARD) && (isWhole(file, ['events']) || isWhole(file, ['kubelet']));
  const isOther =
    oom.kills.length > 0 || findStopBefore(file, file.endedAt) !== undefined || findOopses(file).length > 0;
  if (!isHeard || isOther) return undefined;
  return {
    killer: 'self-signal',
    process: 'init',
    steps: { end: [end.ref] },
    at: end.at,
    decisive: DECISIVE,
    doubts: ['nobody traced the signal: the exit code says which one it was, not who sent it'],
  };
}

/** The kubelet had meant to stop the container, which ended without the runtime. */
const MAY_BE_HOOK =
  'the kubelet meant to stop it, and it ended before the runtime sent a signal: by its preStop hook, or by itself';
/** A program takes as long as it likes to answer. */
const MAY_BE_ANSWER =
  'somebody outside had asked it to stop, and it ended later with a code of its own: because of that, or by itself';
const MAY_BE_FIRST =
  'somebody else had asked it to stop before: it ended because of that, or because it was asked once more';
const MAY_BE_FAULT =
  'nobody tells its exit code: it ended of the fault, or lived on and ended because it was asked to';
const MAY_FOLLOW =
  'somebody outside had killed another process of it, and it ended later: because of that, or by itself';
const MAY_BE_OOM =
  'an OOM kill was counted for it right before, and no line of the kernel names whom: the end may follow from that';
const MAY_BE_REFUSED =
  'the limit of processes of its pod refused somebody a fork right before: it may have given up for that, or ended by itself';
const MAY_BE_OOPS = 'the kernel reported a fault of its own while it lived: the end may follow from that';

/** Why nobody can say that a container ended by itself, although it seems so. */
export function findOtherCause(file: CaseFile, endedAt: number | undefined): Conclusion | undefined {
  const stop = findStopBefore(file, endedAt)?.record.ref ?? findUnheardStop(file);
  if (stop !== undefined) return leaveOpen(file, stop, MAY_BE_HOOK);
  const request = file.signals.find((signal) => signal.process === file.first && isRequestToStop(signal));
  if (request !== undefined) return leaveOpen(file, request.sent.ref, MAY_BE_ANSWER);
  const worker = file.signals.findLast(
    (signal) =>
      signal.process !== file.first &&
      STRANGERS.includes(signal.sender) &&
      endedAt !== undefined &&
      isAtMost(spanMs(signal.sent.at, endedAt), MISSES_MS, { unknown: 'counts' }),
  );
  if (worker !== undefined) return leaveOpen(file, worker.sent.ref, MAY_FOLLOW);
  const counted = findUnnamedOom(file, endedAt);
  if (counted !== undefined) return leaveOpen(file, counted, MAY_BE_OOM);
  const refused = findRefusalOfPod(file, endedAt);
  if (refused !== undefined) return leaveOpen(file, refused, MAY_BE_REFUSED);
  const [oops] = file.end?.exitCode === EXIT_SIGSEGV ? findOopses(file) : [];
  return oops && leaveOpen(file, oops.ref, MAY_BE_OOPS);
}

/** Somebody had asked for its end, and the kubelet was not heard: it may have meant to stop it by then. */
function findUnheardStop(file: CaseFile): EvidenceRef | undefined {
  if (isWhole(file, ['kubelet'])) return undefined;
  return file.requests.cause?.refs.find((ref) => ref !== undefined);
}

/** The container's own counter rose right before the end, and the kernel's log names no process of it. */
function findUnnamedOom({ oom }: CaseFile, endedAt: number | undefined): EvidenceRef | undefined {
  const at = oom.counter?.values.at;
  if (oom.kills.length > 0 || at === undefined || endedAt === undefined) return undefined;
  return endedAt - at <= ANSWERS_MS ? oom.counter?.values.ref : undefined;
}

/** The pod's counter rose right before the end. It counts the refused forks of all containers of the pod. */
function findRefusalOfPod(file: CaseFile, endedAt: number | undefined): EvidenceRef | undefined {
  if (file.end?.exitCode === 0 || endedAt === undefined) return undefined;
  const values = file.index
    .of('cgroup-values')
    .filter(
      (reading) =>
        reading.file === 'pids.events' &&
        reading.node === file.node &&
        isAtMost(reading.at, endedAt, { unknown: 'counts' }),
    );
  const isOfThisPod = (path: string): boolean => levelOf(path) === 'pod' && isOfPods(path, file.uids);
  // The kernel names the cgroup of a refused fork once.
  const isAnothers = file.index
    .of('kernel-said')
    .some(
      (line) =>
        line.about === 'fork-rejected' &&
        !file.cgroups.holds(line.cgroup ?? '') &&
        levelOf(line.cgroup ?? '') === 'container' &&
        isOfPods(line.cgroup ?? '', file.uids),
    );
  if (isAnothers) return undefined;
  const rise = findRise(values, isOfThisPod, 'max', ['pids.events']);
  const isNear = isAtMost(spanMs(rise?.values.at, endedAt), GIVES_UP_MS, { unknown: 'does not' });
  return isNear ? rise?.values.ref : undefined;
}

function leaveOpen(file: CaseFile, asked: EvidenceRef, note: string): Conclusion {
  const { initExit, killingSignal, end } = file;
  return {
    killer: 'unknown',
    steps: { request: [asked], signal: [killingSignal?.sent.ref], end: endRefs(file) },
    at: killingSignal?.sent.at ?? initExit?.at ?? end?.at,
    decisive: DECISIVE,
    note,
    open: [
      { what: 'an end of its own, or an answer to it', why: note, wanted: 'the log of the program itself' },
    ],
  };
}

function howFrom(file: CaseFile, cgroup: string): How {
  if (isOfPods(cgroup, file.uids)) return 'from-same-pod';
  return isInPod(cgroup) ? 'from-another-pod' : 'from-node';
}

/** A service that watches the node's memory. Its own log names this process or cgroup. */
function blameService(file: CaseFile, service: 'systemd-oomd' | 'earlyoom'): Conclusion | undefined {
  const conclusion = blame(file, service);
  const sent = file.killingSignal?.sent;
  if (conclusion === undefined || sent === undefined) return conclusion;
  const said = findServiceSaid(file, service, sent.pid, sent.at);
  // A program may borrow a name, but not the cgroup or the log of the service.
  const known = said !== undefined || sent.senderCgroup !== undefined;
  return {
    ...conclusion,
    steps: { cause: [said?.ref], ...conclusion.steps },
    doubts: [...(conclusion.doubts ?? []), ...(known ? [] : [`only the name of the sender says ${service}`])],
  };
}

/** Judges without a trace of the first process: the service's own log names it, or a cgroup that holds it. */
function blameByLog(file: CaseFile): Conclusion | undefined {
  const { end, first, killingSignal } = file;
  if (end?.at === undefined || first !== undefined || killingSignal !== undefined) return undefined;
  const pid = findStartedPid(file.index, file.containerId);
  for (const service of ['systemd-oomd', 'earlyoom'] as const) {
    const said = findServiceSaid(file, service, pid, end.at);
    if (said !== undefined && isKilled(end.exitCode))
      return {
        killer: service,
        steps: { cause: [said.ref], end: [end.ref] },
        at: said.at,
        decisive: DECISIVE,
        doubts: ['nobody traced the signal'],
      };
  }
  return undefined;
}

/** SIGTERM or SIGKILL, as runtimes report them. */
function isKilled(exitCode: number | undefined): boolean {
  return exitCode === EXIT_SIGTERM || exitCode === EXIT_SIGKILL;
}

function findServiceSaid(
  file: CaseFile,
  service: SystemSaid['by'],
  pid: number | undefined,
  at: number | undefined,
): SystemSaid | undefined {
  return file.index.of('system-said').find(
    (line) =>
      line.about === 'kill' &&
      line.by === service &&
      line.node === file.node &&
      ((pid !== undefined && line.pid === pid) || isAbove(line.cgroup, file)) &&
      // Where nobody dated either, the rest must do.
      (line.at === at || isNear(line.at, at, SAID_MS, { unknown: 'does not' })),
  );
}

function isAbove(cgroup: string | undefined, file: CaseFile): boolean {
  if (cgroup === undefined) return false;
  if (file.init !== undefined) return `${file.init.cgroup}/`.startsWith(`${cgroup}/`);
  return file.cgroups.holds(cgroup) || isOfPods(cgroup, file.uids);
}

/** The lab's own record of the signal, with the same sender and target. */
function findOwnStimulus(file: CaseFile): StimulusDone | undefined {
  const sent = file.killingSignal?.sent;
  return file.index
    .of('stimulus')
    .find(
      (stimulus) =>
        stimulus.node === file.node && stimulus.senderPid === sent?.senderPid && stimulus.pid === sent?.pid,
    );
}

function blame(file: CaseFile, killer: Killer): Conclusion | undefined {
  const { killingSignal, end } = file;
  if (killingSignal === undefined) return undefined;
  const { sent, hitInit, isUnusual } = killingSignal;
  const fits = hitInit && end?.exitCode === EXIT_SIGNALLED + sent.signal;
  // Another signal than this one ended it, and the trace may have lost it.
  const signal = (end?.exitCode ?? 0) - EXIT_SIGNALLED;
  if (hitInit && !fits && isTraced(signal) && !isWhole(file, ['trace'])) return undefined;
  const doubts = [
    ...(hitInit ? [] : ['the signal hit another process than the first, which ended right after']),
    ...(hitInit && !fits ? ['the exit code is not that of the signal'] : []),
    ...(isUnusual ? ['a signal of that kind mostly means something else'] : []),
  ];
  return {
    killer,
    steps: { signal: [sent.ref, findOwnStimulus(file)?.ref], end: endRefs(file) },
    ...(hitInit ? {} : { pid: sent }),
    process: hitInit ? 'init' : 'child',
    at: sent.at,
    decisive: DECISIVE,
    doubts,
  };
}
