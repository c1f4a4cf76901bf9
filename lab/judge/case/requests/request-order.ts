import type { RuntimeEvent } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isStopping } from '../../records/signals.ts';
import { kubeletActedAt } from './kubelet-stop.ts';
import type { StopRequest } from './stop-request.ts';
import { CUT_MS } from '../../records/tolerances.ts';
import { earliest, isAfter, isAtMost, shift } from '../../records/times.ts';

/**
 * Whether a record shows that the request came before the stop: the kubelet acted on it and said when, the API had said it
 * before, or its whole second was over by then. In one second, a person at the runtime may have come first.
 */
export function isBeforeStop(file: CaseFile, { at, refs }: StopRequest): boolean {
  const decidedAt = file.decidedAt ?? file.to;
  if (at === undefined || at + CUT_MS <= decidedAt || kubeletActedAt(file) !== undefined) return true;
  return refs.some(
    (ref) =>
      ref !== undefined &&
      (ref.source === 'kubelet' || ref.source === 'pod') &&
      Date.parse(ref.at) <= decidedAt,
  );
}

/** The requests at the runtime to stop the container, up to its end. */
export function findAsked(file: CaseFile): RuntimeEvent[] {
  return file.index
    .of('runtime-stop')
    .filter(
      (event) =>
        event.containerId === file.containerId &&
        isAtMost(event.at, file.endedAt ?? file.to, { unknown: 'counts' }),
    );
}

/**
 * Whether it may have ended before whoever asked did anything. Nobody traced a signal, and the runtime reported the end
 * first; or nothing tells which came first, and a stop does not leave that exit code behind.
 */
export function mayHaveEndedBefore(file: CaseFile, cause: StopRequest | undefined): boolean {
  const { index, containerId, killingSignal, kubeletLines, end } = file;
  if (killingSignal !== undefined) return false;
  const isOwn = (event: RuntimeEvent): boolean =>
    event.containerId === containerId && event.execId === undefined;
  const gone = [...index.of('runtime-gone'), ...index.of('runtime-exit')].find(isOwn)?.at;
  const asked = [
    ...index.of('runtime-stop').filter(isOwn),
    ...kubeletLines.filter((line) => line.about === 'killing-container'),
  ];
  const askedAt = earliest(asked.map(({ at }) => at));
  if (gone !== undefined && askedAt !== undefined) return askedAt > gone;
  if (isLeftByStop(end?.exitCode)) return false;
  // An event has only a whole second, and so has the end that the API reports.
  return isAfter(askedAt ?? shift(cause?.at, CUT_MS), gone ?? end?.at, { unknown: 'does not' });
}

/** Whether a program that was asked to stop mostly ends with this code: well, or of the signal. */
function isLeftByStop(exitCode: number | undefined): boolean {
  if (exitCode === undefined || exitCode === 0 || exitCode === EXIT_SIGKILL) return true;
  return exitCode > EXIT_SIGNALLED && isStopping(exitCode - EXIT_SIGNALLED);
}
