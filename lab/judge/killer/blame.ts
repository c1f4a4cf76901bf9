import type { Killer } from '../../model/killers/killers.ts';
import type { StimulusDone } from '../../model/evidence/observation.ts';
import type { CaseFile } from '../case/case-file.ts';
import { isWhole, type Source } from '../case/coverage.ts';
import { EXIT_SIGNALLED } from '../records/exit-codes.ts';
import { isTraced } from '../records/signals.ts';
import { endRefs, type Conclusion } from './conclusion.ts';

/** The OOM killer must be excluded before a signal is blamed. */
export const SIGNAL_DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/** Names whoever sent the signal that ended the container. */
export function blame(file: CaseFile, killer: Killer): Conclusion | undefined {
  const { killingSignal, end } = file;
  if (killingSignal === undefined) return undefined;
  const { sent, hitInit, isUnusual } = killingSignal;
  const fits = hitInit && end?.exitCode === EXIT_SIGNALLED + sent.signal;
  // Another signal than this one ended it, and the trace may have lost it.
  const signal = (end?.exitCode ?? 0) - EXIT_SIGNALLED;
  if (!hitInit && !isWhole(file, ['trace'])) return undefined;
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
    decisive: SIGNAL_DECISIVE,
    doubts,
  };
}

/** The lab's own record of the signal, with the same sender and target. */
export function findOwnStimulus(file: CaseFile): StimulusDone | undefined {
  const sent = file.killingSignal?.sent;
  return file.index
    .of('stimulus')
    .find(
      (stimulus) =>
        stimulus.node === file.node && stimulus.senderPid === sent?.senderPid && stimulus.pid === sent?.pid,
    );
}
