import { SIGKILL } from '../../model/evidence/signals.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { CaseFile } from '../case/case-file.ts';
import { isWhole, type Source } from '../case/coverage.ts';
import { isKilledEarly } from '../case/grace.ts';
import { isForOthers } from '../case/killing-signal.ts';
import { mayBeOfUnseenFirst } from '../case/oom-target.ts';
import { findOnlyWordOfEviction } from '../case/requests/evicted-by-log.ts';
import { findEndOfPod, isKilledForKubelet } from '../case/requests/end-of-pod.ts';
import { findStops, preciseOf, type KubeletStop } from '../case/requests/kubelet-stop.ts';
import { mayHaveEndedBefore, orderOf } from '../case/requests/request-order.ts';
import type { StopRequest } from '../case/requests/stop-request.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED } from '../records/exit-codes.ts';
import { isFault } from '../records/signals.ts';
import { isAtMost } from '../records/times.ts';
import type { Conclusion } from './conclusion.ts';
import { ofContainer } from '../records/of-container.ts';

/** Sources without which a stop by the runtime could be something else. */
export const STOP_DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];

/** Records that the runtime stopped it, for whoever asked. */
interface RuntimeStop extends Pick<Conclusion, 'steps' | 'at' | 'decisive'> {
  readonly stops: readonly KubeletStop[];
  readonly untraced: readonly string[];
}

/** The stop by the runtime; undefined when it did not stop it, or may have come too late. */
export function findRuntimeStop(file: CaseFile): RuntimeStop | undefined {
  const stopped = findSignal(file);
  if (stopped === undefined || (file.end === undefined && file.initExit === undefined)) return undefined;
  const { cause } = file.requests;
  if (mayBeAnothersKill(file) || mayBeFault(file) || mayHaveEndedBefore(file, cause)) return undefined;
  const stops = findStops(file);
  return {
    steps: {
      request: [...(findAsker(file)?.refs ?? []), preciseOf(stops)?.record.ref],
      signal: [stopped],
      end: file.initExit === undefined ? [file.end?.ref] : [file.end?.ref ?? file.initExit.ref],
    },
    at: file.killingSignal?.sent.at ?? file.end?.at,
    decisive: STOP_DECISIVE,
    stops,
    untraced: file.killingSignal === undefined ? ['nobody traced the signal'] : [],
  };
}

/**
 * Whether the kubelet, which was heard, never said that it stops the container, and nothing orders the request before the
 * signal: somebody else was faster.
 */
export function isUntouched(file: CaseFile, cause: StopRequest): boolean {
  return (
    findStops(file, file.to).length === 0 &&
    orderOf(file, cause) !== 'before' &&
    isWhole(file, ['kubelet', 'events'])
  );
}

/** Who had asked, if the kubelet may have acted on it. */
export function findAsker(file: CaseFile): StopRequest | undefined {
  const { cause } = file.requests;
  return cause === undefined || isUntouched(file, cause) ? undefined : cause;
}

/** Whether an untraced SIGKILL may be somebody else's: the runtime logs its own when the grace period is over. */
function mayBeAnothersKill(file: CaseFile): boolean {
  const { index, end, containerId, killingSignal } = file;
  if (end?.exitCode !== EXIT_SIGKILL) return false;
  if (killingSignal !== undefined && (killingSignal.sent.signal === SIGKILL || isWhole(file, ['trace'])))
    return false;
  const { kill } = file.oom;
  if (isKilledEarly(file) || (kill !== undefined && mayBeOfUnseenFirst(kill, file))) return true;
  if (isKilledForKubelet(file, file.requests.cause)) return false;
  const [gone = end] = [
    ...ofContainer(index.of('runtime-gone'), containerId),
    ...ofContainer(index.of('runtime-exit'), containerId),
  ];
  // "Kill container" of containerd, or a stop without a grace period.
  return !ofContainer(index.of('runtime-stop'), containerId).some(
    (event) =>
      /^Kill container|with timeout 0|^container kill .*\bsignal=(?:9|SIGKILL)\b/.test(event.ref.text) &&
      isAtMost(event.at, gone.at ?? end.at, { unknown: 'counts', unknownLimit: 'does not' }),
  );
}

/** The exit code is that of a fault, which no stop is: it crashed while it went down, or before; a lost trace had it. */
function mayBeFault(file: CaseFile): boolean {
  const { end, killingSignal } = file;
  return (
    isFault((end?.exitCode ?? 0) - EXIT_SIGNALLED) &&
    (killingSignal === undefined || !isWhole(file, ['trace']))
  );
}

/** `StopContainer for …`, in the runtime's log. */
export function findRequestAtRuntime(file: CaseFile): EvidenceRef | undefined {
  return file.index
    .of('runtime-stop')
    .find(
      (event) =>
        event.containerId === file.containerId &&
        isAtMost(event.at, file.endedAt ?? file.to, { unknown: 'counts' }),
    )?.ref;
}

/** A record that the runtime stopped it: its signal; where nobody traced signals, its own line or the kubelet's. */
function findSignal(file: CaseFile): EvidenceRef | undefined {
  if (file.killingSignal !== undefined)
    return isForOthers(file.killingSignal.sender) ? file.killingSignal.sent.ref : undefined;
  // A whole trace has the end without a signal: whoever asked came too late.
  if (file.initExit !== undefined && isWhole(file, ['trace'])) return undefined;
  return (
    findRequestAtRuntime(file) ??
    findStops(file)[0]?.record.ref ??
    findEndOfPod(file, file.requests.cause) ??
    findOnlyWordOfEviction(file)
  );
}
