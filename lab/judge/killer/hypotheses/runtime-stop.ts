import { SIGKILL } from '../../../model/evidence/signals.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { describeGaps, findGaps, isWhole, type Source } from '../../case/coverage.ts';
import { findOwnReasons } from '../../case/requests/own-reasons.ts';
import type { Conclusion } from '../conclusion.ts';
import { findAsker, findRequestAtRuntime, findRuntimeStop, STOP_DECISIVE } from '../found-stop.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { KUBELET_STOP, leftUnexplained, RUNTIME_REQUEST } from '../traces.ts';
import { hasGoneDown } from './reboot.ts';

/** Both must have been heard, and have no request. */
const ASKERS: readonly Source[] = ['kubelet', 'events'];

/** The kubelet, for a reason that is not listed here: it says that it stops a container, not always why. */
export const UNNAMED_STOP: Hypothesis = {
  what: 'the kubelet, for another reason',
  killers: [],
  acts: ['runtime', 'itself'],
  left: { ...KUBELET_STOP, isSeen: () => false, leftOpen: (file) => leftUnexplained(file) },
  residual: true,
  hear: hearUnnamedStop,
};

function hearUnnamedStop(file: CaseFile): Conclusion | undefined {
  const stop = findRuntimeStop(file);
  if (stop === undefined || findAsker(file) !== undefined) return undefined;
  const { stops, steps, at, decisive } = stop;
  if (stops.length === 0 && file.killingSignal?.sender !== 'kubelet') return undefined;
  const [reason] = findOwnReasons(file);
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
  needsSilence: true,
  residual: true,
  hear: hearRuntimeStop,
};

function hearRuntimeStop(file: CaseFile): Conclusion | undefined {
  const stop = findRuntimeStop(file);
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
  if (asked === undefined && RUNTIME_REQUEST.isSeen(file)) {
    const note =
      'the runtime logged the request after the end that the trace has: their clocks differ, and so nothing orders the acts';
    return { ...base, killer: 'unknown', note };
  }
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
    decisive: [...STOP_DECISIVE, ...ASKERS],
    doubts: [...untraced, ...(asked === undefined ? ['the runtime did not log the request'] : [])],
  };
}
