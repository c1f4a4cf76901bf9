import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { CaseFile } from '../case/case-file.ts';
import { isWhole } from '../case/coverage.ts';
import { findOopses } from '../case/kernel-oops.ts';
import { isForOthers, isRequestToStop, UNUSUAL, type SignalToContainer } from '../case/killing-signal.ts';
import { findRefusedFork, readForkCounters } from '../case/fork-counters.ts';
import { findStopBefore, hasHook } from '../case/requests/kubelet-stop.ts';
import { isRuntimeHeard } from '../case/requests/request-order.ts';
import { STRANGERS } from '../case/senders.ts';
import { isAddedProcess } from '../records/added-process.ts';
import { EXIT_SIGSEGV } from '../records/exit-codes.ts';
import { isAtMost, spanMs } from '../records/times.ts';
import { ANSWERS_MS, GIVES_UP_MS, MISSES_MS } from '../records/tolerances.ts';
import { SIGNAL_DECISIVE } from './blame.ts';
import { endRefs, type Conclusion } from './conclusion.ts';

/** The kubelet had meant to stop the container, which ended without the runtime. */
export const MAY_BE_HOOK =
  'the kubelet meant to stop it, and it ended before the runtime sent a signal: by its preStop hook, or by itself';
/** A program takes as long as it likes to answer. */
const MAY_BE_ANSWER =
  'somebody outside had asked it to stop, and it ended later with a code of its own: because of that, or by itself';
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
  const soft =
    file.end?.exitCode === 0
      ? file.signals.find((signal) => mayBeSoftStop(signal, file, endedAt))
      : undefined;
  if (soft !== undefined) return leaveOpen(file, soft.sent.ref, MAY_BE_ANSWER);
  const worker = file.signals.findLast(
    (signal) =>
      signal.process !== file.first &&
      !isAddedProcess(file.index, signal.process, file.first) &&
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

/**
 * Whether a signal asks some programs to end well, when their work is done: of a stranger, or of the runtime, for which
 * somebody may have asked where its log does not tell.
 */
function mayBeSoftStop(
  { process, sender, sent }: SignalToContainer,
  file: CaseFile,
  endedAt: number | undefined,
): boolean {
  if (process !== file.first || !UNUSUAL.includes(sent.signal)) return false;
  const mayBeAsked = isForOthers(sender) && !isRuntimeHeard(file);
  return (
    STRANGERS.includes(sender) ||
    (mayBeAsked && isAtMost(spanMs(sent.at, endedAt), ANSWERS_MS, { unknown: 'counts' }))
  );
}

/**
 * Somebody had asked for its end, and the kubelet was not heard: it may have meant to stop it by then. Its log has a preStop hook
 * only when that is over; its event comes before.
 */
export function findUnheardStop(file: CaseFile): EvidenceRef | undefined {
  if (isWhole(file, ['kubelet']) && (!hasHook(file) || isWhole(file, ['events']))) return undefined;
  return file.requests.cause?.refs.find((ref) => ref !== undefined);
}

/** The container's own counter rose right before the end, and the kernel's log names no process of it. */
function findUnnamedOom({ oom }: CaseFile, endedAt: number | undefined): EvidenceRef | undefined {
  const at = oom.counter?.values.at;
  if (oom.kills.length > 0 || at === undefined || endedAt === undefined) return undefined;
  return endedAt - at <= ANSWERS_MS ? oom.counter?.values.ref : undefined;
}

/** The pod's counter rose right before the end. It counts the refused forks of all containers of the pod. */
export function findRefusalOfPod(file: CaseFile, endedAt: number | undefined): EvidenceRef | undefined {
  if (file.end?.exitCode === 0 || endedAt === undefined) return undefined;
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
  const rise = findRefusedFork(readForkCounters(file, endedAt), isOfThisPod);
  const isNear = isAtMost(spanMs(rise?.values.at, endedAt), GIVES_UP_MS, { unknown: 'does not' });
  return isNear ? rise?.values.ref : undefined;
}

/** Says that the end may follow from this record, or not. */
export function leaveOpen(file: CaseFile, asked: EvidenceRef, note: string): Conclusion {
  const { initExit, killingSignal, end } = file;
  return {
    killer: 'unknown',
    steps: { request: [asked], signal: [killingSignal?.sent.ref], end: endRefs(file) },
    at: killingSignal?.sent.at ?? initExit?.at ?? end?.at,
    decisive: SIGNAL_DECISIVE,
    note,
    open: [
      { what: 'an end of its own, or an answer to it', why: note, wanted: 'the log of the program itself' },
    ],
  };
}
