import type { EvidenceRef } from '../../model/saved/formats.ts';
import { nameSignal, SIGKILL } from '../../model/evidence/signals.ts';
import type { CaseFile } from './case-file.ts';
import { hasRun, RUNC_STAGE } from './has-run.ts';
import { isWhole } from './coverage.ts';
import { isForOthers } from './killing-signal.ts';
import type { SenderKind } from './senders.ts';
import { NEVER_RAN } from '../records/never-ran.ts';
import { isAtLeast, spanMs } from '../records/times.ts';
import { FOLLOWS_MS } from '../records/tolerances.ts';
import { hasWordOfEnd } from './word-of-end.ts';
import { ofContainer } from '../records/of-container.ts';

/**
 * What ended the first process, or that nothing did: the last link of every story. `runtime` acts for whoever asked it;
 * `itself` ended without a signal; `node-gone` ended with the boot of its node.
 */
export type Act =
  Exclude<SenderKind, 'unseen' | 'kubelet'> | 'oom' | 'itself' | 'node-gone' | 'never-ran' | 'lives';

/** The last link as records show it. */
export interface FinalAct {
  readonly act: Act;
  /** The act as a sentence for a reader. */
  readonly says: string;
  readonly ref: EvidenceRef | undefined;
}

const TOOK_RUNTIME =
  'the OOM killer took a process of the runtime, and no record shows that the program began';

/**
 * Finds the last act, which is one and excludes every other one: a process ends once. Undefined when the records leave
 * it open: nobody traced the end, or two acts fit.
 */
export function findFinalAct(file: CaseFile): FinalAct | undefined {
  const { end, oom, initExit, bootEnded, first, view } = file;
  if (end?.reason !== undefined && NEVER_RAN.test(end.reason))
    return { act: 'never-ran', says: 'its program never ran', ref: end.ref };
  const byOom = oom.ended === 'first' || oom.ended === 'all';
  // The kernel's log and its trace tell two stories: neither excludes the other.
  if (byOom && isTraceAgainst(file)) return undefined;
  if (byOom && oom.kill !== undefined && RUNC_STAGE.test(oom.kill.comm) && !hasRun(file))
    return { act: 'never-ran', says: TOOK_RUNTIME, ref: oom.kill.ref };
  if (byOom && oom.kill !== undefined)
    return { act: 'oom', says: `the OOM killer ended it, pid ${oom.kill.pid}`, ref: oom.kill.ref };
  if (hasOutlived(file)) return NODE_WENT(bootEnded?.ref);
  const bySignal = findSignalAct(file);
  if (bySignal !== undefined) return bySignal;
  if (file.killingSignal?.hitInit === true) return undefined;
  if (initExit !== undefined)
    return isWhole(file, ['trace'])
      ? { act: 'itself', says: 'the whole trace has its end, without a signal', ref: initExit.ref }
      : undefined;
  const isLost = end?.exitCode === undefined || NOT_FOUND.includes(end.reason ?? '');
  if (bootEnded !== undefined && first !== undefined && isLost) return NODE_WENT(bootEnded.ref);
  const isRunning = end === undefined && view?.state === 'running' && view.restartCount === 0;
  const isWatched = first !== undefined && isWhole(file, ['trace']);
  if (isRunning && (isWatched || isListedRunning(file)) && !hasWordOfEnd(file))
    return { act: 'lives', says: 'it lives', ref: file.viewRef };
  const hasNoEnd = end === undefined && bootEnded === undefined && !hasWordOfEnd(file);
  if (hasNoEnd && oom.kill !== undefined && !RUNC_STAGE.test(oom.kill.comm))
    return {
      act: 'oom',
      says: `the OOM killer took pid ${oom.kill.pid}, and no record has an end of the container`,
      ref: oom.kill.ref,
    };
  return undefined;
}

/** Whether it ended, and nobody saw by which act: neither the trace nor the kernel's log has it. */
export function isUnseen({ end, killingSignal, first }: CaseFile, final: FinalAct | undefined): boolean {
  return final === undefined && end !== undefined && killingSignal === undefined && first === undefined;
}

/** Whether the runtime, asked when everything was collected, still ran it. */
function isListedRunning({ index, containerId }: CaseFile): boolean {
  return ofContainer(index.of('runtime-record'), containerId).some(
    ({ state }) => state === 'CONTAINER_RUNNING',
  );
}

const NODE_WENT = (ref: EvidenceRef | undefined): FinalAct => ({
  act: 'node-gone',
  says: 'it lived until the boot of its node ended',
  ref,
});

/** Reasons that runtime and kubelet give for a container that they do not find any more. */
export const NOT_FOUND = ['Unknown', 'ContainerStatusUnknown'];

/**
 * Whether it was still stopping when the boot ended: the trace has no end of it, and the runtime does not find it any
 * more after the boot.
 */
export function hasOutlived({ killingSignal, initExit, end, bootEnded }: CaseFile): boolean {
  return (
    bootEnded?.at !== undefined &&
    killingSignal !== undefined &&
    killingSignal.sent.signal !== SIGKILL &&
    initExit === undefined &&
    (end === undefined || NOT_FOUND.includes(end.reason ?? '')) &&
    isAtLeast(spanMs(killingSignal.sent.at, bootEnded.at), FOLLOWS_MS, { unknown: 'does not' })
  );
}

function findSignalAct({ killingSignal }: CaseFile): FinalAct | undefined {
  if (killingSignal === undefined) return undefined;
  const { sent, sender, hitInit, rival, fault, isUnusual } = killingSignal;
  if (!hitInit || sender === 'unseen' || isUnusual || rival !== undefined) return undefined;
  if (fault !== undefined && fault !== sent) return undefined;
  return {
    act: isForOthers(sender) ? 'runtime' : (sender as Act),
    says: `${nameSignal(sent.signal)} of pid ${sent.senderPid} (${sent.senderComm}) ended it`,
    ref: sent.ref,
  };
}

/** Whether a whole trace has no SIGKILL of the kernel to the first process, which the kernel's line names. */
export function isTraceAgainst(file: CaseFile): boolean {
  const { oom, killingSignal, first } = file;
  if (oom.ended !== 'first' || first?.exit === undefined || !isWhole(file, ['trace'])) return false;
  if (killingSignal === undefined) return oom.counter === undefined;
  return killingSignal.sender !== 'kernel';
}
