import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { PodSeen } from '../../../model/evidence/observation.ts';
import type { Killer } from '../../../model/killers/killers.ts';
import type { CaseFile } from '../../case/case-file.ts';
import type { Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { hasGoneDown } from './reboot.ts';
import { inTheApi, KUBELET_STOP, RUNTIME_REQUEST } from '../traces.ts';
import { describeGaps, findGaps, isWhole, type Source } from '../../case/coverage.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { SIGKILL } from '../../../model/evidence/signals.ts';
import { isForOthers } from '../../case/killing-signal.ts';
import { isFault } from '../../records/signals.ts';
import { findFirstAct, findStops, preciseOf, type KubeletStop } from '../../case/requests/kubelet-stop.ts';
import type { StopRequest } from '../../case/requests/stop-request.ts';
import { findAsked, orderOf, mayHaveEndedBefore } from '../../case/requests/request-order.ts';
import { findUnnamedReason } from '../../case/requests/unnamed-reasons.ts';
import { isAtMost, isWithin, spanMs } from '../../records/times.ts';
import { CUT_MS } from '../../records/tolerances.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];
/** Both must have been heard, and have no request. */
const ASKERS: readonly Source[] = ['kubelet', 'events'];

/** Records that the runtime stopped it, for whoever asked. */
interface RuntimeStop extends Pick<Conclusion, 'steps' | 'at' | 'decisive'> {
  readonly stops: readonly KubeletStop[];
  readonly untraced: readonly string[];
}

/** The stop by the runtime; undefined when it did not stop it, or may have come too late. */
export function findStop(file: CaseFile): RuntimeStop | undefined {
  const stopped = findRuntimeStop(file);
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
    decisive: DECISIVE,
    stops,
    untraced: file.killingSignal === undefined ? ['nobody traced the signal'] : [],
  };
}

/** The runtime stopped the container because this killer had asked. Records from before the stop tell. */
function hearRequest(file: CaseFile, killer: Killer): Conclusion | undefined {
  const { cause, rivals } = file.requests;
  if (cause?.killer !== killer) return undefined;
  const stop = findStop(file);
  if (stop === undefined) return undefined;
  const { stops, untraced, ...base } = stop;
  const several = rivals.length === 0 ? [] : ['more than one had asked before the signal'];
  if (isUnasked(file)) return leaveUnasked(base);
  if (isUntouched(file, cause)) return undefined;
  const order = orderOf(file, cause);
  if (order === 'open') return leaveUnordered(base);
  const unordered =
    order === 'before' ? [] : ['nothing tells whether it was asked for before the kubelet began to stop it'];
  const undated = cause.at === undefined ? ['nothing tells when it was asked for'] : [];
  const unsaid = stops.length === 0 ? ['the kubelet did not say that it stops it'] : [];
  const doubts = [...untraced, ...several, ...unordered, ...undated, ...unsaid, ...findStrangeStop(file)];
  return { ...base, killer: cause.killer, how: cause.how, doubts };
}

/**
 * Whether the kubelet, which was heard, never said that it stops the container, and nothing orders the request before the
 * signal: somebody else was faster.
 */
function isUntouched(file: CaseFile, cause: StopRequest): boolean {
  return (
    findStops(file, file.to).length === 0 &&
    orderOf(file, cause) !== 'before' &&
    isWhole(file, ['kubelet', 'events'])
  );
}

/** Who had asked, if the kubelet may have acted on it. */
function findAsker(file: CaseFile): StopRequest | undefined {
  const { cause } = file.requests;
  return cause === undefined || isUntouched(file, cause) ? undefined : cause;
}

const hasVersion = (file: CaseFile, wanted: (pod: PodSeen) => boolean): boolean =>
  file.versions.some((version) => version.uid === file.pod.uid && wanted(version));

/** What each asker leaves behind, beside the stop. */
const ASKED: Readonly<Record<string, Pick<Hypothesis, 'what' | 'left'>>> = {
  'kubelet-eviction': {
    what: 'an eviction by the kubelet',
    left: inTheApi('the API has no reason Evicted', (file) =>
      hasVersion(file, ({ reason }) => reason === 'Evicted'),
    ),
  },
  'liveness-probe': { what: 'a failed probe', left: { ...KUBELET_STOP, isSeen: hasReason } },
  'api-deletion': {
    what: 'a deletion of the pod',
    left: inTheApi('the API had not been asked to delete it', (file) =>
      hasVersion(file, ({ deletionAt }) => deletionAt !== undefined),
    ),
  },
  preemption: {
    what: 'a preemption',
    left: inTheApi('the API has no condition or reason of a preemption', (file) =>
      hasVersion(
        file,
        ({ reason, disruption }) => reason === 'Preempting' || disruption?.reason === 'PreemptionByScheduler',
      ),
    ),
  },
  deadline: {
    what: 'its deadline',
    left: inTheApi('the API has no reason DeadlineExceeded', (file) =>
      hasVersion(file, ({ reason }) => reason === 'DeadlineExceeded'),
    ),
  },
  'node-shutdown': {
    what: 'a shutdown of its node',
    left: inTheApi('neither the API nor the kubelet tells of one', () => false),
  },
  'spec-change': { what: 'a change of its definition', left: { ...KUBELET_STOP, isSeen: hasReason } },
};

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
    left,
    hear: (file) => hearRequest(file, killer),
  };
});

/** The kubelet, for a reason that is not listed here: it says that it stops a container, not always why. */
export const UNNAMED_STOP: Hypothesis = {
  what: 'the kubelet, for another reason',
  killers: [],
  acts: ['runtime', 'itself'],
  left: { ...KUBELET_STOP, isSeen: () => false },
  residual: true,
  hear: hearUnnamedStop,
};

function hearUnnamedStop(file: CaseFile): Conclusion | undefined {
  const stop = findStop(file);
  if (stop === undefined || findAsker(file) !== undefined) return undefined;
  const { stops, steps, at, decisive } = stop;
  if (stops.length === 0 && file.killingSignal?.sender !== 'kubelet') return undefined;
  const reason = findUnnamedReason(file);
  const base = { steps: { ...steps, cause: [...(steps.cause ?? []), reason?.ref] }, at, decisive };
  const note =
    reason === undefined
      ? 'the kubelet stopped the container for a reason that is not known here'
      : `the kubelet stopped the container, because ${reason.says}`;
  const open = [
    {
      what: 'whoever asked the kubelet',
      why: note,
      wanted: 'the pod as the API had it before its end, and its events',
    },
  ];
  return { ...base, killer: 'unknown', note, open };
}

/** A person at the runtime, behind the back of Kubernetes. */
export const RUNTIME_STOP: Hypothesis = {
  what: 'a request at the runtime',
  killers: ['runtime-stop'],
  acts: ['runtime'],
  left: RUNTIME_REQUEST,
  residual: true,
  hear: hearRuntimeStop,
};

function hearRuntimeStop(file: CaseFile): Conclusion | undefined {
  const stop = findStop(file);
  if (stop === undefined || findAsker(file) !== undefined) return undefined;
  const { stops, untraced, ...base } = stop;
  if (stops.length > 0 || file.killingSignal?.sender === 'kubelet') return undefined;
  if (hasGoneDown(file)) {
    const note =
      'the runtime stopped it and its node booted again: somebody had asked the runtime, or the node went down';
    return { ...base, killer: 'unknown', note };
  }
  const { cause } = file.requests;
  const late =
    cause === undefined ? [] : [`nothing tells when exactly it was asked for by others (${cause.killer})`];
  return judgeAtRuntime(file, base, [...untraced, ...late]);
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
  const isHeard = file.index
    .of('runtime-created')
    .some((created) => created.containerId === file.containerId);
  return (
    isHeard &&
    file.killingSignal !== undefined &&
    findAsked(file).length === 0 &&
    isWhole(file, ['containerd'])
  );
}

/** Whether an untraced SIGKILL may be somebody else's: the runtime logs its own when the grace period is over. */
function mayBeAnothersKill(file: CaseFile): boolean {
  const { index, end, containerId, killingSignal } = file;
  if (end?.exitCode !== EXIT_SIGKILL) return false;
  if (killingSignal !== undefined && (killingSignal.sent.signal === SIGKILL || isWhole(file, ['trace'])))
    return false;
  const isOwn = (event: { containerId: string }): boolean => event.containerId === containerId;
  const gone = [...index.of('runtime-gone'), ...index.of('runtime-exit')].find(isOwn)?.at ?? end.at;
  // "Kill container" of containerd, or a stop without a grace period.
  return !index
    .of('runtime-stop')
    .some(
      (event) =>
        isOwn(event) &&
        /^Kill container|with timeout 0/.test(event.ref.text) &&
        isAtMost(event.at, gone, { unknown: 'counts', unknownLimit: 'does not' }),
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

/** Nothing orders the request and the first act of the kubelet, which may have begun for another reason. */
function leaveUnordered(base: Pick<Conclusion, 'steps' | 'at' | 'decisive'>): Conclusion {
  const note =
    'nothing tells whether it was asked for before the kubelet, or somebody at the runtime, began to stop it';
  const open = [
    {
      what: 'another reason, in the same second or before',
      why: note,
      wanted: 'the log of the kubelet at that time',
    },
  ];
  return { ...base, killer: 'unknown', note, open };
}

/** Somebody had asked the kubelet, and the signal came another way. */
function leaveUnasked(base: Pick<Conclusion, 'steps' | 'at' | 'decisive'>): Conclusion {
  const note =
    'the runtime signalled it without having been asked to stop it: not for the kubelet, by its own log';
  const open = [
    {
      what: 'whoever sent the signal by the runtime',
      why: note,
      wanted: 'who called the runtime (ctr, runc) at that time',
    },
  ];
  return { ...base, killer: 'unknown', note, open };
}

/** Nobody asked the kubelet. Somebody asked the runtime itself, if the sources that would know otherwise are whole. */
function judgeAtRuntime(
  file: CaseFile,
  base: Pick<Conclusion, 'steps' | 'at' | 'decisive'>,
  untraced: readonly string[],
): Conclusion {
  const gaps = findGaps(file, [...ASKERS, 'trace', 'pods']);
  if (gaps.some((gap) => gap.source !== 'trace' || file.init !== undefined)) {
    const why = describeGaps(gaps) ?? '';
    const open = [
      {
        what: 'the kubelet, for a reason of its own or of the API',
        why,
        wanted: 'the log of the kubelet and its events at that time',
      },
      {
        what: 'a person at the runtime',
        why: 'nobody else is excluded',
        wanted: 'the log of the runtime with the request',
      },
    ];
    const note = `the runtime stopped the container; who asked for it is not known: ${why}`;
    return { ...base, killer: 'unknown', note, open };
  }
  const asked = findRequestAtRuntime(file);
  // A runtime that lost a shim kills what is left, with SIGKILL at once; only its log tells that from a request.
  const mayBeCleanup = file.killingSignal?.stop.signal === SIGKILL && !isWhole(file, ['containerd']);
  if (asked === undefined && mayBeCleanup) {
    const note =
      'the runtime killed it at once, and its log, which would tell whether somebody had asked, was not heard';
    return { ...base, killer: 'unknown', note };
  }
  return {
    ...base,
    killer: 'runtime-stop',
    steps: { ...base.steps, request: [...(base.steps.request ?? []), asked] },
    decisive: [...DECISIVE, ...ASKERS],
    doubts: [...untraced, ...(asked === undefined ? ['the runtime did not log the request'] : [])],
  };
}

/** `StopContainer for …`, in the runtime's log. */
function findRequestAtRuntime(file: CaseFile): EvidenceRef | undefined {
  return file.index
    .of('runtime-stop')
    .find(
      (event) =>
        event.containerId === file.containerId &&
        isAtMost(event.at, file.endedAt ?? file.to, { unknown: 'counts' }),
    )?.ref;
}

/** A record that the runtime stopped it: its signal; where nobody traced signals, its own line or the kubelet's. */
function findRuntimeStop(file: CaseFile): EvidenceRef | undefined {
  if (file.killingSignal !== undefined)
    return isForOthers(file.killingSignal.sender) ? file.killingSignal.sent.ref : undefined;
  // A whole trace has the end without a signal: whoever asked came too late.
  if (file.initExit !== undefined && isWhole(file, ['trace'])) return undefined;
  return findRequestAtRuntime(file) ?? findStops(file)[0]?.record.ref;
}
