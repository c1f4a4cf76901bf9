import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { RuntimeEvent } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { type Conclusion, type Rule } from './conclusion.ts';
import { describeGaps, findGaps, isWhole, type Source } from '../../case/coverage.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { SIGKILL } from '../../../model/evidence/signals.ts';
import { isForOthers } from '../../case/killing-signal.ts';
import { isFault } from '../../records/signals.ts';
import { findStops, preciseOf } from '../../case/requests/kubelet-stop.ts';
import { findAsked, isBeforeStop, mayHaveEndedBefore } from '../../case/requests/request-order.ts';
import { isAtMost } from '../../records/times.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];
/** Both must have been heard, and have no request. */
const ASKERS: readonly Source[] = ['kubelet', 'events'];

/**
 * The runtime stopped the container because somebody asked: the kubelet, for the API, a probe or the node; or a person
 * at the runtime. Records from before the stop tell who.
 */
export const judgeRequestedStop: Rule = (file) => {
  const stopped = findRuntimeStop(file);
  if (stopped === undefined || (file.end === undefined && file.initExit === undefined)) return undefined;
  const { cause, rivals } = file.requests;
  const stops = findStops(file);
  const base = {
    steps: {
      request: [...(cause?.refs ?? []), preciseOf(stops)?.record.ref],
      signal: [stopped],
      end: file.initExit === undefined ? [file.end?.ref] : [file.end?.ref ?? file.initExit.ref],
    },
    at: file.killingSignal?.sent.at ?? file.end?.at,
    decisive: DECISIVE,
  };
  if (mayBeAnothersKill(file) || mayBeFault(file) || mayHaveEndedBefore(file, cause)) return undefined;
  const untraced = file.killingSignal === undefined ? ['nobody traced the signal'] : [];
  if (cause !== undefined) {
    const several = rivals.length === 0 ? [] : ['more than one had asked before the signal'];
    if (isUnasked(file)) return leaveUnasked(base);
    const isOrdered = isBeforeStop(file, cause);
    if (!isOrdered && listRequestsAtRuntime(file).length > 1) return leaveTwoAsked(base);
    const unordered = isOrdered ? [] : ['nothing tells whether it was asked for before the signal'];
    const undated = cause.at === undefined ? ['nothing tells when it was asked for'] : [];
    const unsaid = stops.length === 0 ? ['the kubelet did not say that it stops it'] : [];
    const doubts = [...untraced, ...several, ...unordered, ...undated, ...unsaid, ...findStrangeStop(file)];
    return { ...base, killer: cause.killer, how: cause.how, doubts };
  }
  if (stops.length > 0 || file.killingSignal?.sender === 'kubelet') {
    const note = 'the kubelet stopped the container for a reason that is not known here';
    const open = [
      {
        what: 'whoever asked the kubelet',
        why: note,
        wanted: 'the pod as the API had it before its end, and its events',
      },
    ];
    return { ...base, killer: 'unknown', note, open };
  }
  return judgeAtRuntime(file, base, untraced);
};

/** Requests with different timeouts come from different people. */
function findStrangeStop(file: CaseFile): string[] {
  const timeouts = findAsked(file).flatMap((event) => /with timeout (\d+)/.exec(event.ref.text)?.[1] ?? []);
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
  return isHeard && file.killingSignal !== undefined && findAsked(file).length === 0;
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

/** Each time that somebody asked the runtime: one stop has several lines. */
function listRequestsAtRuntime(file: CaseFile): RuntimeEvent[] {
  return findAsked(file).filter((event) => event.ref.text.startsWith('StopContainer for'));
}

/** The runtime was asked twice, and nothing tells whether the kubelet was the first. */
function leaveTwoAsked(base: Pick<Conclusion, 'steps' | 'at' | 'decisive'>): Conclusion {
  const note = 'the runtime was asked to stop it more than once, and nothing tells who came first';
  const open = [
    { what: 'whoever asked the runtime first', why: note, wanted: 'the log of the kubelet at that time' },
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
