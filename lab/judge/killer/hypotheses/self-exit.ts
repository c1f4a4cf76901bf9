import type { CaseFile } from '../../case/case-file.ts';
import { endRefs, type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { OWN_SIGNAL } from '../traces.ts';
import { NOT_FOUND } from '../../case/final-act.ts';
import { findHeardKubelet, isEndMisdated, isWhole, type Source } from '../../case/coverage.ts';
import { CHOSEN, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isSignal, isTraced } from '../../records/signals.ts';
import { doubtLostWorkers } from '../lost-workers.ts';
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
  // Who does not find it any more makes up a code; the trace has the end.
  const isUntold = NOT_FOUND.includes(end.reason ?? '');
  const looksKilled = end.exitCode >= EXIT_SIGNALLED && !isUntold;
  const traced = initExit !== undefined;
  if (isUntold && !(traced && isWhole(file, DECISIVE))) return undefined;
  const signal = end.exitCode - EXIT_SIGNALLED;
  // Where the kernel of a sandbox is in between, the runtime makes up a code for what it lost.
  const isSeen = isTraced(signal) || (!isSignal(signal) && !file.cgroups.sandboxed);
  if (looksKilled && !(traced && isSeen && isWhole(file, DECISIVE))) return undefined;
  return {
    killer: 'self-exit',
    process: 'init',
    steps: { end: endRefs(file) },
    at: initExit?.at ?? end.at,
    decisive: DECISIVE,
    doubts: [
      ...(traced ? [] : ['the end of its first process was not traced']),
      ...(isUntold ? ['nobody tells its exit code'] : []),
      ...(looksKilled && isSignal(signal)
        ? ['its exit code is that of a signal, which it chose itself']
        : []),
      ...(looksKilled && !isSignal(signal)
        ? ['its exit code is one that runtimes use where nobody told them one']
        : []),
      ...doubtLostWorkers(file),
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
  if (!isHeard || findHeardKubelet(file) === undefined) return undefined;
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

/** It ended by itself. */
export const SELF_EXIT: Hypothesis = {
  what: 'an end of its own',
  killers: ['self-exit'],
  acts: ['itself'],
  left: {
    ...OWN_SIGNAL,
    by: 'a process that ends by itself leaves an exit code',
    isSeen: (file) => file.end === undefined && file.initExit === undefined,
    leftOpen: ({ end, initExit, view }) =>
      end === undefined && initExit === undefined && (view === undefined || view.restartCount > 0)
        ? 'nothing that was given says with which code it ended, or that it did'
        : undefined,
    records: (file) => [file.viewRef],
  },
  residual: true,
  hear: hearSelfExit,
};
