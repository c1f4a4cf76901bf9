import type { CaseFile } from '../case-file.ts';
import { endRefs, type Conclusion, type Rule } from '../conclusion.ts';
import { isWhole, type Source } from '../coverage.ts';
import { isTraced } from '../first-end.ts';
import { isOfPods } from '../levels.ts';
import { findStopBefore } from '../kubelet-stop.ts';
import { findRequests } from '../requests.ts';
import { findDoubt } from './signal.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** What has to be silent about a container that seems to have ended by itself, where nobody traced signals. */
const WITHOUT_TRACE: readonly Source[] = ['kmsg', 'pods', 'containerd'];
/** A shell reports so that a signal ended a program, and runtimes do; a program may exit with it as well. */
const SIGNALLED = 128;

/**
 * The container ended by itself: it has an exit code and nobody sent it a signal. A program may also exit with a
 * code that looks like a signal; only a whole trace in which it ended without one tells that.
 */
export const judgeSelfExit: Rule = (file) => {
  const { end, initExit, killingSignal } = file;
  if (end?.exitCode === undefined || killingSignal !== undefined) return undefined;
  if (end.reason === 'StartError' || end.reason === 'ContainerCannotRun') return undefined;
  // That no signal came is only known when its processes were seen and no record of the trace is missing.
  if (file.init === undefined) return judgeWithoutTrace(file);
  if (!isWhole(file, ['trace'])) return undefined;
  const doubt = findDoubt(file, initExit?.at ?? end.at);
  if (doubt !== undefined) return doubt;
  const looksKilled = end.exitCode >= SIGNALLED;
  const traced = initExit !== undefined;
  if (looksKilled && !(traced && isTraced(end.exitCode - SIGNALLED) && isWhole(file, DECISIVE)))
    return undefined;
  return {
    killer: 'self-exit',
    process: 'init',
    steps: { end: endRefs(file) },
    at: initExit?.at ?? end.at,
    decisive: DECISIVE,
    lacks: [
      ...(traced ? [] : ['the end of its first process was not traced']),
      ...(looksKilled ? ['its exit code is that of a signal, which it chose itself'] : []),
      ...findSilence(file),
    ],
  };
};

/** A stop that is not traced, a preStop hook, shows only in what the kubelet says: it must have been heard. */
function findSilence(file: CaseFile): string[] {
  if (isWhole(file, ['events']) || isWhole(file, ['kubelet'])) return [];
  return ['neither events nor log of the kubelet are whole: a preStop hook may have ended it'];
}

/** The kernel refused it a fork at some time: it may have given up for that. */
function wasRefusedFork(file: CaseFile): boolean {
  return file.index
    .of('kernel-said')
    .some((each) => each.about === 'fork-rejected' && isOfPods(each.cgroup ?? '', file.uids));
}

/**
 * Without a trace a signal that the program caught cannot be excluded, but everybody else: kernel, kubelet and runtime were
 * heard and say nothing, and the code is none that a signal leaves behind.
 */
function judgeWithoutTrace(file: CaseFile): Conclusion | undefined {
  const { end } = file;
  // Programs answer a request to stop with 0 as well.
  if (end?.exitCode === undefined || end.exitCode === 0 || end.exitCode >= SIGNALLED) return undefined;
  const isHeard = isWhole(file, WITHOUT_TRACE) && (isWhole(file, ['events']) || isWhole(file, ['kubelet']));
  if (!isHeard || file.oom.kill !== undefined || findStopBefore(file, file.endedAt) !== undefined)
    return undefined;
  const isStopped = file.index
    .of('runtime-stop')
    .some((each) => each.containerId === file.containerId && (each.at ?? 0) <= (file.endedAt ?? Infinity));
  if (isStopped || findRequests(file).cause !== undefined || wasRefusedFork(file)) return undefined;
  return {
    killer: 'self-exit',
    process: 'init',
    steps: { end: [end.ref] },
    at: end.at,
    decisive: DECISIVE,
    lacks: ['nobody traced signals: it may have answered one'],
  };
}
