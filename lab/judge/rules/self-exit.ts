import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';
import { isTraced } from '../signals.ts';
import { findDoubt } from './signal.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];

/**
 * The container ended by itself: it has an exit code and nobody sent it a signal. A program may also exit with a
 * code that looks like a signal; only a whole trace in which it ended without one tells that.
 */
export const judgeSelfExit: Rule = (file) => {
  const { end, initExit, killingSignal } = file;
  if (end?.exitCode === undefined || killingSignal !== undefined) return undefined;
  // That no signal came is only known when its processes were seen and no record of the trace is missing.
  if (file.init === undefined || !isWhole(file, ['trace'])) return undefined;
  if (end.reason === 'StartError' || end.reason === 'ContainerCannotRun') return undefined;
  const doubt = findDoubt(file, initExit?.at ?? end.at);
  if (doubt !== undefined) return doubt;
  const whole = isWhole(file, DECISIVE);
  const looksKilled = end.exitCode >= 128;
  const traced = initExit !== undefined && whole;
  if (looksKilled && !(traced && isTraced(end.exitCode - 128))) return undefined;
  return {
    killer: 'self-exit',
    confidence: traced && !looksKilled ? 'proven' : 'likely',
    process: 'init',
    because: refs(end.ref, initExit?.ref),
    at: initExit?.at ?? end.at,
    decisive: DECISIVE,
  };
};
