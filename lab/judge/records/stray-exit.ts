import { SIGKILL } from '../../model/evidence/signals.ts';
import type { ProcessExited } from '../../model/evidence/observation.ts';
import type { ContainerEnd } from './container-end.ts';
import type { EvidenceIndex, Process } from './evidence-index.ts';
import { EXIT_UNKNOWN } from './exit-codes.ts';
import { isFault } from './signals.ts';
import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import { FOLLOWS_MS, LATE_MS, NOTICED_MS } from './tolerances.ts';
import { earliest, isWithin, shift, spanMs } from './times.ts';
import { ofContainer } from './of-container.ts';

/**
 * Finds an end of the container's first process in the trace that is not the end of the container: runtime and API have it
 * much later. Its first thread ended, and the others worked on (pthread_exit() in main). Undefined when both are one end.
 */
export function findStrayExit(
  index: EvidenceIndex,
  first: Process | undefined,
  end: ContainerEnd | undefined,
  node: string | undefined,
): ProcessExited | undefined {
  const exit = first?.exit;
  if (first === undefined || exit?.at === undefined || end === undefined || exit.isGroup === true)
    return undefined;
  const reportedAt = findReport(index, end);
  const lateMs = spanMs(exit.at, reportedAt);
  if (lateMs === undefined || lateMs <= NOTICED_MS) return undefined;
  // Nothing of a process survives these.
  const isDeadly = index
    .signalsTo(first)
    .some(
      (sent) =>
        (sent.signal === SIGKILL || isFault(sent.signal)) &&
        isWithin(sent.at, shift(exit.at, -FOLLOWS_MS), shift(exit.at, LATE_MS), { unknown: 'counts' }),
    );
  const wasAway = index
    .ofAny(['runtime-restarted', 'boot-ended'])
    .some(
      (record) =>
        record.node === node &&
        isWithin(record.at, exit.at, shift(reportedAt, CUT_MS), { unknown: 'counts' }),
    );
  return isDeadly || wasAway ? undefined : exit;
}

/**
 * When the runtime reported the end, else the API. Undefined when neither had it from whoever waited for the process, or
 * the clocks cannot be compared.
 */
function findReport(index: EvidenceIndex, { containerId, exitCode, at }: ContainerEnd): number | undefined {
  const own = ofContainer(index.ofAny(['runtime-exit', 'runtime-gone']), containerId).filter(
    ({ execId }) => execId === undefined,
  );
  const byRuntime = earliest(own.map((event) => event.at));
  if (byRuntime !== undefined) return byRuntime;
  const isStepped = index.of('lost').some((lost) => lost.source === 'pods' && lost.until === Infinity);
  return exitCode === undefined || exitCode === EXIT_UNKNOWN || isStepped ? undefined : at;
}
