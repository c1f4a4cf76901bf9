import type { EvidenceRef } from '../../../model/saved/formats.ts';
import { isOfContainer, isOfPods, levelOf } from '../../../model/evidence/cgroup-path.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import type { KillingSignal } from '../../case/killing-signal.ts';
import { isWhole, type Source } from '../../case/coverage.ts';
import { findUnheardStop, leaveOpen, MAY_BE_HOOK } from '../other-causes.ts';
import { EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isFault } from '../../records/signals.ts';
import { findStopBefore } from '../../case/requests/kubelet-stop.ts';
import { findRefusedFork, readForkCounters } from '../../case/fork-counters.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { GIVES_UP_MS } from '../../records/tolerances.ts';
import { isAtMost, latest, spanMs } from '../../records/times.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/**
 * The pids controller kills nobody: it refuses a fork (EAGAIN), and a program that cannot go on ends itself, by exit or
 * abort(). So the refusal must have been counted, or logged by the kernel, right before the container ended by itself.
 * Only time links the two, so this is never proven.
 */
const hearPidsLimit = (file: CaseFile): Conclusion | undefined => {
  const endedAt = file.initExit?.at ?? file.end?.at;
  if (endedAt === undefined || file.end?.exitCode === 0) return undefined;
  if (file.killingSignal !== undefined && !isGivingUp(file.killingSignal)) return undefined;
  if (file.killingSignal === undefined && mayBeKilled(file)) return undefined;
  if (findStopBefore(file, endedAt) !== undefined) return undefined;
  const { rise, kernel, refusedAt } = findRefusal(file, endedAt);
  if (
    (rise === undefined && kernel === undefined) ||
    !isAtMost(spanMs(refusedAt, endedAt), GIVES_UP_MS, { unknown: 'does not' })
  )
    return undefined;
  const unheard = findUnheardStop(file);
  if (unheard !== undefined) return leaveOpen(file, unheard, MAY_BE_HOOK);
  return {
    killer: 'pids-limit',
    steps: {
      cause: [kernel?.ref, rise?.values.ref],
      signal: [file.killingSignal?.sent.ref],
      end: endRefs(file),
    },
    at: endedAt,
    decisive: DECISIVE,
    doubts: ['that it ended because of the refused fork is inferred from time'],
  };
};

/** A program gives up by abort() or a fault; a signal of another process is the decision of that one. */
function isGivingUp({ sender, sent }: KillingSignal): boolean {
  return sender === 'container' && (sent.senderPid === sent.pid || isFault(sent.signal));
}

/** Whether its exit code is that of a signal which others send, and a trace with a gap may have lost that. */
function mayBeKilled(file: CaseFile): boolean {
  const signal = (file.end?.exitCode ?? 0) - EXIT_SIGNALLED;
  return signal > 0 && !isFault(signal) && !isWhole(file, ['trace']);
}

/** The last fork that the kernel refused this very container. */
function findRefusal(file: CaseFile, endedAt: number) {
  const isOfThisPod = (path: string): boolean => isOfPods(path, file.uids);
  const values = readForkCounters(file, endedAt + CUT_MS);
  const inOwn = (path: string): boolean => isOfThisPod(path) && isOfContainer(path, file.containerId);
  const isOwn = (path: string): boolean => inOwn(path) || (isOfThisPod(path) && levelOf(path) === 'pod');
  const kernel = file.index
    .of('kernel-said')
    .find(
      (line) =>
        line.about === 'fork-rejected' &&
        line.node === file.node &&
        isOwn(line.cgroup ?? '') &&
        isAtMost(line.at ?? line.between?.from, endedAt + CUT_MS, { unknown: 'counts' }),
    );
  // Since Linux 6.11 the pod's counter counts the refused forks of all its containers; the kernel's line names the
  // container.
  const isNamed = kernel !== undefined && inOwn(kernel.cgroup ?? '');
  const isAlone = file.pod.containers.length === 1;
  const counts = isNamed || (isAlone && kernel !== undefined) ? isOwn : inOwn;
  const rise = findRefusedFork(values, counts);
  const last = values.filter((reading) => counts(reading.path) && Number(reading.values.max) > 0).at(-1);
  const named = isNamed || isAlone ? kernel : undefined;
  return { rise, kernel: named, refusedAt: latest([last?.at, named?.at ?? named?.between?.from]) };
}

function listRefusals(file: CaseFile): (EvidenceRef | undefined)[] {
  const { kernel, rise } = findRefusal(file, file.to);
  return [kernel?.ref, rise?.values.ref];
}

/** A program that gave up because a fork was refused. */
export const PIDS_LIMIT: Hypothesis = {
  what: 'a refused fork',
  killers: ['pids-limit'],
  acts: ['itself', 'container'],
  left: {
    sources: [['kmsg'], ['cgroup']],
    by: 'neither the kernel nor a counter tells of a refused fork',
    wanted: 'the kernel log and pids.events of its cgroup',
    isSeen: (file) => findRefusal(file, file.to).refusedAt !== undefined,
    records: listRefusals,
    findUnbound: listRefusals,
  },
  hear: hearPidsLimit,
};
