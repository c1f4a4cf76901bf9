import type { AskedContainer } from './asked-times.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { CLOCKS_MS, CUT_MS } from '../../model/evidence/source-clocks.ts';
import { EXIT_SIGKILL } from '../records/exit-codes.ts';
import { isEventOf, isSecondBefore } from '../records/event-container.ts';
import { ofContainer } from '../records/of-container.ts';
import { earliest, isBefore, isWithin, shift, type Time } from '../records/times.ts';
import { API_MS } from '../records/tolerances.ts';
import type { GatheredCase } from './case-file.ts';

/** When the grace period of a container that somebody stops is over: before that the runtime does not kill it. */

/** Of the container that somebody stops. */
type Stopped = Omit<AskedContainer, 'from'>;

/** `gracePeriod=30`; up to 1.20 `with 30 second grace period`. */
const OF_KUBELET = /\bgracePeriod(?:Override)?=(\d+)|with (?:a )?(\d+) second grace period/;
/** containerd's and CRI-O's words. */
const OF_RUNTIME = /with timeout (\d+)|\(timeout: (\d+)s?\)/;
/** The runtime sends SIGKILL now. */
const KILLS = /^Kill container|timed out|\bsignal=(?:9|SIGKILL)\b/;

/**
 * When the runtime's own SIGKILL is due at the earliest, by what kubelet and runtime said when they stopped the container. Where
 * only the event of the kubelet is left, the definition of the pod tells. Undefined where nobody says for how long they wait.
 */
export function findKillDue(index: EvidenceIndex, stopped: Stopped): Time {
  const { containerId, kubeletLines } = stopped;
  const lines = ofContainer(kubeletLines, containerId).filter(({ about }) => about === 'killing-container');
  const asked = ofContainer(index.of('runtime-stop'), containerId);
  if ([...lines, ...asked].some(({ at }) => at === undefined)) return undefined;
  const due = [
    ...lines.map(({ at, message }) => addSeconds(at, OF_KUBELET.exec(message))),
    ...asked.map(({ at, ref }) => (KILLS.test(ref.text) ? at : addSeconds(at, OF_RUNTIME.exec(ref.text)))),
  ];
  const isLogged = lines.length > 0 || asked.length > 0;
  return isLogged ? earliest(due) : findDueByEvent(stopped);
}

function addSeconds(at: Time, found: RegExpExecArray | null): Time {
  const seconds = found?.slice(1).find((part) => part !== undefined);
  return seconds === undefined ? undefined : shift(at, Number(seconds) * 1000);
}

/** By the only event that the kubelet stops the container while the pod stays: whoever ends the pod may say another period. */
function findDueByEvent({ record, versions, podEvents, startedAt }: Stopped): Time {
  const { container } = record.victim;
  const [event, ...others] = podEvents.filter(
    (one) => one.reason === 'Killing' && isEventOf(container, one) && !isSecondBefore(one.at, startedAt),
  );
  const isOfPod = versions.some(({ deletionAt, reason }) => deletionAt !== undefined || reason !== undefined);
  if (event === undefined || others.length > 0 || event.count > 1 || isOfPod) return undefined;
  const seconds = versions.at(-1)?.shortestGraceSeconds;
  return seconds === undefined ? undefined : shift(event.at, seconds * 1000);
}

/**
 * Whether SIGKILL ended it although the runtime's own was not yet due, as far as anybody knows: it was for nobody who had asked the
 * runtime.
 */
export function isKilledEarly({
  end,
  endedAt,
  killDueAt,
}: Pick<GatheredCase, 'end' | 'endedAt' | 'killDueAt'>): boolean {
  return (
    end?.exitCode === EXIT_SIGKILL && isBefore(shift(endedAt, CLOCKS_MS), killDueAt, { unknown: 'does not' })
  );
}

/** Whether SIGKILL ended it just when that of the runtime was due. */
export function isKilledWhenDue({ end, killDueAt }: Pick<GatheredCase, 'end' | 'killDueAt'>): boolean {
  const from = shift(killDueAt, -CUT_MS - CLOCKS_MS);
  return (
    end?.exitCode === EXIT_SIGKILL &&
    isWithin(end.at, from, shift(killDueAt, API_MS), { unknown: 'does not' })
  );
}
