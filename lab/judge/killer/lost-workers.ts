import { SIGKILL, SIGSYS } from '../../model/evidence/signals.ts';
import type { CaseFile } from '../case/case-file.ts';
import { isAddedProcess } from '../records/added-process.ts';
import { isFault, isStopping } from '../records/signals.ts';
import { isWithin, spanMs } from '../records/times.ts';
import { SAME_NODE_MS } from '../../model/evidence/source-clocks.ts';
import { FOLLOWS_MS, MISSES_MS } from '../records/tolerances.ts';

/**
 * A program that ends itself may do so for a worker that it had lost: each as a sentence. Only time links the two.
 *
 * @param misses how long it may have waited for a lost one, in milliseconds.
 */
export function doubtLostWorkers(file: CaseFile, misses = MISSES_MS): string[] {
  return [...findLostWorker(file, misses), ...findFaultedWorker(file), ...findWorkerOfGuest(file, misses)];
}

/** It may have missed a worker that the OOM killer took; only time links the two. */
function findLostWorker({ oom, index, first, initExit }: CaseFile, misses: number): string[] {
  const worker = oom.kills.find(
    (kill) =>
      !isAddedProcess(index, index.processAt(kill.boot, kill.pid, kill.at), first) &&
      isWithin(spanMs(kill.at, initExit?.at), -SAME_NODE_MS, misses, { unknown: 'counts' }),
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

/** A process that somebody added killed a worker, or told it to end: it may have ended for that; only time links the two. */
function findWorkerOfGuest({ signals, index, first, initExit }: CaseFile, misses: number): string[] {
  const isAdded = (boot: string, pid: number, at: number | undefined): boolean =>
    isAddedProcess(index, index.processAt(boot, pid, at), first);
  const killed = signals.findLast(
    ({ process, sender, sent }) =>
      sender === 'container' &&
      (sent.signal === SIGKILL || (isStopping(sent.signal) && process.exit !== undefined)) &&
      process !== first &&
      !isAddedProcess(index, process, first) &&
      isAdded(sent.boot, sent.senderPid, sent.at) &&
      isWithin(spanMs(sent.at, initExit?.at), 0, misses, { unknown: 'counts' }),
  )?.sent;
  if (killed === undefined) return [];
  return [
    `somebody in the container killed a process of it before, pid ${killed.pid} (${killed.comm}): it may have ended for that`,
  ];
}
