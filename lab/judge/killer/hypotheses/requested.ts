import type { PodSeen } from '../../../model/evidence/observation.ts';
import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { Killer } from '../../../model/killers/killers.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { isWhole } from '../../case/coverage.ts';
import { findFirstAct, findStops } from '../../case/requests/kubelet-stop.ts';
import { findUnhanded } from '../../case/requests/handed-over.ts';
import { findAsked, isRuntimeHeard, mayHaveEndedBefore, orderOf } from '../../case/requests/request-order.ts';
import { isEndedFor, mayHaveLostReason, type EndedFor } from '../../records/ended-by-kubelet.ts';
import { isWithin, spanMs } from '../../records/times.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import type { Conclusion } from '../conclusion.ts';
import { findRuntimeStop, isUntouched } from '../found-stop.ts';
import type { Hypothesis, LeftTrace } from '../hypothesis.ts';
import { findStopsFor, inTheApi, KUBELET_STOP, leftUnexplained } from '../traces.ts';

/** The runtime stopped the container because this killer had asked. Records from before the stop tell. */
function hearRequest(file: CaseFile, killer: Killer): Conclusion | undefined {
  const { cause, rivals } = file.requests;
  if (cause?.killer !== killer) return undefined;
  const stop = findRuntimeStop(file);
  if (stop === undefined) return undefined;
  const { stops, untraced, ...base } = stop;
  const several = rivals.length === 0 ? [] : ['more than one had asked before the signal'];
  if (isUnasked(file)) return leaveUnasked(base);
  if (isUntouched(file, cause)) return undefined;
  const unhanded = findUnhanded(file);
  if (unhanded !== undefined) return leaveUnhanded(base, unhanded);
  const order = orderOf(file, cause);
  if (order === 'open') return leaveUnordered(base);
  if (killer === 'api-deletion' && cause.how === undefined && !isWhole(file, ['events']))
    return leaveUntold(base);
  const unordered =
    order === 'before' ? [] : ['nothing tells whether it was asked for before the kubelet began to stop it'];
  const undated = cause.at === undefined ? ['nothing tells when it was asked for'] : [];
  const unproven =
    killer === 'preemption' && cause.how === 'scheduler' && !cause.refs.some((ref) => ref?.source === 'event')
      ? [
          'the scheduler, which says afterwards whom it preempted, did not: somebody else may have deleted it first',
        ]
      : [];
  const unsaid = stops.length === 0 ? ['the kubelet did not say that it stops it'] : [];
  const doubts = [
    ...untraced,
    ...several,
    ...unordered,
    ...undated,
    ...unproven,
    ...unsaid,
    ...findStrangeStop(file),
  ];
  return { ...base, killer: cause.killer, how: cause.how, doubts };
}

/** What each asker leaves behind, beside the stop. */
const ASKED: Readonly<Record<string, Pick<Hypothesis, 'what' | 'left'>>> = {
  'kubelet-eviction': {
    what: 'an eviction by the kubelet',
    left: forReason('Evicted', 'the API has no reason Evicted'),
  },
  'liveness-probe': {
    what: 'a failed probe',
    left: {
      ...KUBELET_STOP,
      isSeen: hasReason,
      findUnbound: (file) => findStopsFor(file, ['liveness-probe', 'startup-probe']),
      leftOpen: (file) => leftUnexplained(file, ['kubelet']),
    },
  },
  'api-deletion': {
    what: 'a deletion of the pod',
    left: inTheApi('the API had not been asked to delete it', ({ deletionAt }) => deletionAt !== undefined),
  },
  preemption: {
    what: 'a preemption',
    left: forReason(
      'Preempting',
      'the API has no condition or reason of a preemption',
      ({ disruption }) => disruption?.reason === 'PreemptionByScheduler',
    ),
  },
  deadline: {
    what: 'its deadline',
    left: inTheApi('the API has no reason DeadlineExceeded', ({ reason }) => reason === 'DeadlineExceeded'),
  },
  'node-shutdown': {
    what: 'a shutdown of its node',
    left: {
      ...inTheApi('neither the API nor the kubelet tells of one', () => false),
      // What the kubelet writes of it into the status comes after the kill.
      findUnbound: findShutdownWords,
      leftOpen: (file) =>
        findShutdownWords(file).length > 0 ? undefined : leftUnexplained(file, ['pods', 'kubelet']),
    },
  },
  'spec-change': {
    what: 'a change of its definition',
    left: {
      ...KUBELET_STOP,
      isSeen: hasReason,
      findUnbound: (file) => findStopsFor(file, ['definition-changed', 'resized']),
      leftOpen: (file) => leftUnexplained(file, ['kubelet', 'events']),
    },
  },
};

/** What the kubelet leaves behind when it ends a whole pod for a reason, or somebody else in another way. */
function forReason(
  reason: EndedFor,
  by: string,
  isOtherwise: (version: PodSeen) => boolean = () => false,
): LeftTrace {
  return {
    ...inTheApi(by, (version) => isEndedFor(version, reason) || isOtherwise(version)),
    leftOpen: (file) => {
      const own = file.versions.filter(({ uid }) => uid === file.pod.uid);
      if (own.some((version) => version.reason === reason && !isEndedFor(version, reason)))
        return `its status says ${reason}, and not in words that the kubelet has for that`;
      return own.some((version) => mayHaveLostReason(version, reason)) && !isWhole(file, ['events'])
        ? 'a pod that has succeeded keeps no reason of the kubelet, and its events were not heard'
        : undefined;
    },
  };
}

/** All records that its node was shut down, whenever they came. */
function findShutdownWords({ requests }: CaseFile): (EvidenceRef | undefined)[] {
  const { cause, rivals, unfit, later } = requests;
  return [cause, ...rivals, ...unfit, ...later].flatMap((request) =>
    request?.killer === 'node-shutdown' ? request.refs : [],
  );
}

function hasReason(file: CaseFile): boolean {
  return findStops(file, file.to).some((stop) => stop.reason !== undefined);
}

/** Those who ask the kubelet, or the API, which then lets the runtime stop the container. */
export const REQUESTS: readonly Hypothesis[] = Object.entries(ASKED).map(([name, { what, left }]) => {
  const killer = name as Killer;
  return {
    what,
    killers: [killer],
    // A preStop hook may end the program before the runtime sends a signal.
    acts: ['runtime', 'itself'],
    left: { ...left, leftOpen: (file) => leftUnseen(file, killer) ?? left.leftOpen?.(file) },
    hear: (file) => hearRequest(file, killer),
  };
});

/**
 * Whether it was asked for in time, and nobody saw what ended the first process: that the records do not suffice to name it excludes
 * nothing. A kubelet that was heard and did nothing does.
 */
function leftUnseen(file: CaseFile, killer: Killer): string | undefined {
  const { end, first, killingSignal, requests } = file;
  const asked = [requests.cause, ...requests.rivals].find((request) => request?.killer === killer);
  const isUnseen = end !== undefined && first === undefined && killingSignal === undefined;
  if (asked === undefined || !isUnseen || isUntouched(file, asked) || mayHaveEndedBefore(file, asked))
    return undefined;
  return 'it was asked for before the end, and nobody saw what ended the first process';
}

/** Requests with different timeouts come from different people. */
function findStrangeStop(file: CaseFile): string[] {
  const asked = findAsked(file);
  const line = findFirstAct(file)?.to;
  // The first one follows the kubelet's own line at once: it is the kubelet's, and a later one may be it again.
  if (isWithin(spanMs(line, asked[0]?.at), 0, CUT_MS, { unknown: 'does not' })) return [];
  const timeouts = asked.flatMap((event) => /with timeout (\d+)/.exec(event.ref.text)?.[1] ?? []);
  return new Set(timeouts).size > 1 ? ['the runtime was asked to stop it more than once'] : [];
}

/**
 * The runtime logged the start of the container and no request to stop it, so whoever sent the signal had not asked the
 * runtime.
 */
function isUnasked(file: CaseFile): boolean {
  return isRuntimeHeard(file) && file.killingSignal !== undefined && findAsked(file).length === 0;
}

type Base = Pick<Conclusion, 'steps' | 'at' | 'decisive'>;

/** Nothing orders the request and the first act of the kubelet, which may have begun for another reason. */
function leaveUnordered(base: Base): Conclusion {
  const note =
    'nothing tells whether it was asked for before the kubelet, or somebody at the runtime, began to stop it';
  const what = 'another reason, in the same second or before';
  return leaveTo(base, note, what, 'the log of the kubelet at that time');
}

/** Releases before 1.26 write only as an event that the deletion was a preemption. */
function leaveUntold(base: Base): Conclusion {
  const note = 'this release writes only as an event why a pod is deleted, and the events were not heard';
  return leaveTo(base, note, 'a preemption', 'the events of the scheduler at that time');
}

/** Somebody had asked the kubelet, and nothing shows that the kubelet had asked the runtime by then. */
function leaveUnhanded(base: Base, note: string): Conclusion {
  return leaveTo(base, note, 'an end before the runtime was asked', 'the log of the runtime at that time');
}

/** Somebody had asked the kubelet, and the signal came another way. */
function leaveUnasked(base: Base): Conclusion {
  const note =
    'the runtime signalled it without having been asked to stop it: not for the kubelet, by its own log';
  const what = 'whoever sent the signal by the runtime';
  return leaveTo(base, note, what, 'who called the runtime (ctr, runc) at that time');
}

/** It may have been for the request, or for what is open. */
function leaveTo(base: Base, note: string, what: string, wanted: string): Conclusion {
  return { ...base, killer: 'unknown', note, open: [{ what, why: note, wanted }] };
}
