import type { RuntimeEvent } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isOfRuntimeLog } from '../runtime-silence.ts';
import { isWhole } from '../coverage.ts';
import { findOnlyWordOfEviction } from './evicted-by-log.ts';
import { findEndOfPod, isLeftByStop } from './end-of-pod.ts';
import { findFirstAct, findStops, hasHook, kubeletHeardAt, type FirstAct } from './kubelet-stop.ts';
import { isByApi, type StopRequest } from './stop-request.ts';
import { CUT_MS, SAME_NODE_MS } from '../../../model/evidence/source-clocks.ts';
import { earliest, isAfter, isAtLeast, isAtMost, shift, type Time } from '../../records/times.ts';

/** Whether a request came before the first act: for certain, by all appearances, or nobody can tell. */
export type Order = 'before' | 'same-second' | 'open';

/**
 * Orders a request and the kubelet's first act against the container, which may be long before the signal. For what the
 * kubelet itself decides its own words suffice: it writes them first. What it hears of the API has no order within one
 * second, unless the kubelet says when it heard, or the API had said it before.
 */
export function orderOf(file: CaseFile, request: StopRequest): Order {
  return mayFollowSignal(file, request) ? 'open' : orderOfWords(file, request);
}

/**
 * Whether all that is left of the kubelet's act is of the second of the signal, an event or what it asked for: somebody at the
 * runtime, whose log would tell, may have come first in that second, and the kubelet have found what it was to stop.
 */
function mayFollowSignal(file: CaseFile, { at }: StopRequest): boolean {
  const firstAct = findFirstAct(file);
  if (firstAct?.isLogged === true || isRuntimeHeard(file)) return false;
  const actedAt = firstAct === undefined ? shift(at, CUT_MS) : firstAct.to;
  return isAfter(actedAt, file.killingSignal?.stop.at, { unknown: 'does not' });
}

function orderOfWords(file: CaseFile, request: StopRequest): Order {
  const { at, refs, scope } = request;
  const firstAct = findFirstAct(file);
  if (firstAct !== undefined && !firstAct.isLogged && isAskedTwice(file)) return 'open';
  if (scope === 'container') return 'before';
  if (isOfLaterSecond(request, file)) return 'open';
  if (file.requests.rivals.some((rival) => isTied(request, rival))) return 'open';
  if (mayHaveBegun(file)) return 'open';
  const decidedAt = firstAct?.from ?? file.decidedAt ?? file.to;
  const isEarlier = at !== undefined && at + CUT_MS <= decidedAt;
  if (!isByApi(request)) return orderOfOwn(file, request, firstAct);
  if (firstAct === undefined) return isTabled(file, at) ? 'same-second' : 'open';
  const heardAt = kubeletHeardAt(file);
  const isSaid = refs.some((ref) => ref?.source === 'pod' && Date.parse(ref.at) <= decidedAt);
  if (isEarlier || isSaid || isAtMost(heardAt, firstAct.to + SAME_NODE_MS, { unknown: 'does not' }))
    return 'before';
  return isWhole(file, ['kubelet']) ? 'same-second' : 'open';
}

/**
 * Whether the kubelet decided by itself in a later second than that of the end. The runtime of its node dates the end by the same
 * clock, and in whole seconds as well.
 */
function isOfLaterSecond(request: StopRequest, { end }: CaseFile): boolean {
  return !isByApi(request) && isAtLeast(request.at, shift(end?.at, CUT_MS), { unknown: 'does not' });
}

/**
 * What the kubelet decides by itself it writes down at once, before its line. Where only its event is left, somebody at the
 * runtime may have come first in that second; and if the runtime was asked twice, one of the two was not the kubelet.
 */
function orderOfOwn(file: CaseFile, request: StopRequest, firstAct: FirstAct | undefined): Order {
  const { at, refs } = request;
  const decidedAt = firstAct?.from ?? file.decidedAt ?? file.to;
  const isSaid = refs.some(
    (ref) => (ref?.source === 'kubelet' || ref?.source === 'pod') && Date.parse(ref.at) <= decidedAt,
  );
  if (
    isAtMost(shift(at, CUT_MS), decidedAt, { unknown: 'does not' }) ||
    isSaid ||
    firstAct?.isLogged === true
  )
    return 'before';
  // The signal was traced, and nothing shows that it came afterwards.
  const isLate = file.killingSignal !== undefined && isAfter(at, decidedAt, { unknown: 'counts' });
  if (firstAct === undefined && !isLate && findEndOfPod(file, request) !== undefined) return 'before';
  if (firstAct === undefined && findOnlyWordOfEviction(file) !== undefined) return 'before';
  if (firstAct === undefined && isTabled(file, at)) return 'same-second';
  // Nobody dates it, and the kubelet did not say that it acts: it may have come to an end that was decided before.
  if (firstAct === undefined && at === undefined) return 'open';
  // The status comes with the kill, and has no time of its own.
  return (firstAct !== undefined || isAtMost(at, decidedAt, { unknown: 'counts' })) && !isAskedTwice(file)
    ? 'same-second'
    : 'open';
}

/**
 * Whether nothing tells which of two came first: nobody dates either, or both have the same second. They do not know of each other,
 * and the kubelet acts for the first.
 */
function isTied({ at, killer }: StopRequest, rival: StopRequest): boolean {
  if (rival.killer === killer) return false;
  if (at === undefined || rival.at === undefined) return at === rival.at;
  return Math.abs(at - rival.at) < CUT_MS;
}

/** Rows of a table that have only ages: the kubelet ends a pod once, and says that it does. */
function isTabled(file: CaseFile, at: Time): boolean {
  return at === undefined && findStops(file).some(({ record }) => record.at === undefined);
}

/**
 * Whether the kubelet may have begun before anybody asked for the pod: its line follows a preStop hook, and its event, which comes
 * before, was not heard.
 */
function mayHaveBegun(file: CaseFile): boolean {
  const isSeen = findStops(file).some(({ record }) => record.kind === 'kube-event');
  return !isSeen && hasHook(file) && !isWhole(file, ['events']);
}

/** Whether the runtime was asked twice to stop the container: one of the two may not have been the kubelet. */
function isAskedTwice(file: CaseFile): boolean {
  return findAsked(file).filter((event) => event.ref.text.startsWith('StopContainer for')).length > 1;
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

/** Whether the log of the runtime would have a request to stop the container: it has how it was made. */
export function isRuntimeHeard(file: CaseFile): boolean {
  const isMade = file.index
    .of('runtime-created')
    .some((created) => created.containerId === file.containerId && isOfRuntimeLog(created));
  return isMade && isWhole(file, ['containerd']);
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
  const atKubelet = kubeletLines.filter((line) => line.about === 'killing-container');
  // Between the word of the kubelet and the request at the runtime is a preStop hook.
  const asked = [...index.of('runtime-stop').filter(isOwn), ...(isRuntimeHeard(file) ? [] : atKubelet)];
  const askedAt = earliest(asked.map(({ at }) => at));
  if (gone !== undefined && askedAt !== undefined) return askedAt > gone;
  if (isLeftByStop(end?.exitCode)) return false;
  // An event has only a whole second, and so has the end that the API reports.
  return isAfter(askedAt ?? shift(cause?.at, CUT_MS), gone ?? end?.at, { unknown: 'does not' });
}
