import { SIGKILL, SIGSYS } from '../../../model/evidence/signals.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { OWN_SIGNAL } from '../traces.ts';
import { isEndMisdated, isWhole, type Source } from '../../case/coverage.ts';
import { CHOSEN, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isAddedProcess } from '../../records/added-process.ts';
import { isWithin, spanMs } from '../../records/times.ts';
import { SAME_NODE_MS } from '../../../model/evidence/source-clocks.ts';
import { FOLLOWS_MS, MISSES_MS } from '../../records/tolerances.ts';
import { isFault, isTraced } from '../../records/signals.ts';
import { findOtherCause } from '../other-causes.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/**
 * The container ended by itself: it has an exit code and nobody sent it a signal. A program may also exit with a code
 * that looks like a signal; only a whole trace that shows its end without one tells.
 */
const hearSelfExit = (file: CaseFile): Conclusion | undefined => {
  const { end, initExit, killingSignal } = file;
  if (end?.exitCode === undefined || killingSignal !== undefined) return undefined;
  if (end.reason === 'StartError' || end.reason === 'ContainerCannotRun') return undefined;
  // What is dated before its process began may be any end.
  if (initExit === undefined && isEndMisdated(file)) return undefined;
  // The records say that no signal came only when they have its processes and the trace is whole.
  if (file.init === undefined || !isWhole(file, ['trace'])) return hearUntraced(file);
  const other = findOtherCause(file, initExit?.at ?? end.at);
  if (other !== undefined) return other;
  const looksKilled = end.exitCode >= EXIT_SIGNALLED;
  const traced = initExit !== undefined;
  if (looksKilled && !(traced && isTraced(end.exitCode - EXIT_SIGNALLED) && isWhole(file, DECISIVE)))
    return undefined;
  return {
    killer: 'self-exit',
    process: 'init',
    steps: { end: endRefs(file) },
    at: initExit?.at ?? end.at,
    decisive: DECISIVE,
    doubts: [
      ...(traced ? [] : ['the end of its first process was not traced']),
      ...(looksKilled ? ['its exit code is that of a signal, which it chose itself'] : []),
      ...findSilence(file),
      ...findLostWorker(file),
      ...findFaultedWorker(file),
      ...findWorkerOfGuest(file),
    ],
  };
};

/**
 * Where nobody traced signals, and nobody staged one: a code that the program chose, and every layer that would have asked
 * for the end was heard and did not.
 */
function hearUntraced(file: CaseFile): Conclusion | undefined {
  const { end, oom, requests, sandbox, record } = file;
  const code = end?.exitCode ?? 0;
  // In the lab a signal may have been staged.
  if (record.expected !== undefined || code < CHOSEN.from || code > CHOSEN.to) return undefined;
  const isHit = oom.kills.length > 0 || oom.counter !== undefined || oom.hints.length > 0;
  if (isHit || requests.cause !== undefined || sandbox?.exit !== undefined) return undefined;
  const isHeard = isWhole(file, ['kmsg', 'containerd', 'pods']);
  if (!isHeard || !(isWhole(file, ['kubelet']) || isWhole(file, ['events']))) return undefined;
  if (findOtherCause(file, end?.at) !== undefined) return undefined;
  return {
    killer: 'self-exit',
    process: 'init',
    steps: { end: endRefs(file) },
    at: end?.at,
    decisive: DECISIVE,
    doubts: ['nobody traced the signals of its node: it may have answered one with a code of its own'],
  };
}

/** It may have missed a worker that the OOM killer took; only time links the two. */
function findLostWorker({ oom, index, first, initExit }: CaseFile): string[] {
  const worker = oom.kills.find(
    (kill) =>
      !isAddedProcess(index, index.processAt(kill.boot, kill.pid, kill.at), first) &&
      isWithin(spanMs(kill.at, initExit?.at), -SAME_NODE_MS, MISSES_MS, { unknown: 'counts' }),
  );
  if (worker === undefined) return [];
  return [
    `the OOM killer took a process of it before, pid ${worker.pid} (${worker.comm}): it may have ended for that`,
  ];
}

/** A worker that ended of a fault may have taken it along; only time links the two. */
function findFaultedWorker({ signals, index, first, initExit }: CaseFile): string[] {
  const worker = signals.findLast(
    ({ process, sent }) =>
      process?.exit !== undefined &&
      process !== first &&
      !isAddedProcess(index, process, first) &&
      (isFault(sent.signal) || sent.signal === SIGSYS) &&
      isWithin(spanMs(sent.at, initExit?.at), 0, FOLLOWS_MS, { unknown: 'counts' }),
  )?.sent;
  if (worker === undefined) return [];
  return [
    `a process of it, pid ${worker.pid} (${worker.comm}), ended of a fault right before: it may have ended for that`,
  ];
}

/** A process that somebody added killed a worker: it may have ended for that; only time links the two. */
function findWorkerOfGuest({ signals, index, first, initExit }: CaseFile): string[] {
  const isAdded = (boot: string, pid: number, at: number | undefined): boolean =>
    isAddedProcess(index, index.processAt(boot, pid, at), first);
  const killed = signals.findLast(
    ({ process, sender, sent }) =>
      sender === 'container' &&
      sent.signal === SIGKILL &&
      process !== first &&
      !isAddedProcess(index, process, first) &&
      isAdded(sent.boot, sent.senderPid, sent.at) &&
      isWithin(spanMs(sent.at, initExit?.at), 0, MISSES_MS, { unknown: 'counts' }),
  )?.sent;
  if (killed === undefined) return [];
  return [
    `somebody in the container killed a process of it before, pid ${killed.pid} (${killed.comm}): it may have ended for that`,
  ];
}

/** A preStop hook shows only in what the kubelet says, so the kubelet must have been heard. */
function findSilence(file: CaseFile): string[] {
  if (isWhole(file, ['events']) || isWhole(file, ['kubelet'])) return [];
  return ['neither events nor log of the kubelet are whole: a preStop hook may have ended it'];
}

/** It ended by itself. */
export const SELF_EXIT: Hypothesis = {
  what: 'an end of its own',
  killers: ['self-exit'],
  acts: ['itself'],
  left: {
    ...OWN_SIGNAL,
    by: 'a process that ends by itself leaves an exit code',
    isSeen: (file) => file.end === undefined && file.initExit === undefined,
    records: (file) => [file.viewRef],
  },
  residual: true,
  hear: hearSelfExit,
};
