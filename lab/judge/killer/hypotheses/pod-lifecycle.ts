import type { CaseFile } from '../../case/case-file.ts';
import { findUnhanded } from '../../case/requests/handed-over.ts';
import { findOwnReasons } from '../../case/requests/own-reasons.ts';
import type { StopRequest } from '../../case/requests/stop-request.ts';
import { isAtMost } from '../../records/times.ts';
import type { Conclusion } from '../conclusion.ts';
import { findAsker, findRuntimeStop } from '../found-stop.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { KUBELET_STOP, leftUnexplained } from '../traces.ts';

/** The kubelet, for a rule of the pod itself. Its own words for it come before the stop. */
export const POD_LIFECYCLE: Hypothesis = {
  what: 'a rule of the pod itself',
  killers: ['pod-lifecycle'],
  acts: ['runtime'],
  left: {
    ...KUBELET_STOP,
    isSeen: (file) => findOwnReasons(file).some(({ how }) => how !== undefined),
    findUnbound: (file) => findOwnReasons(file).flatMap(({ how, ref }) => (how === undefined ? [] : [ref])),
    leftOpen: (file) => leftUnexplained(file, ['kubelet', 'events']),
  },
  hear: hearPodLifecycle,
};

function hearPodLifecycle(file: CaseFile): Conclusion | undefined {
  const stop = findRuntimeStop(file);
  // Whoever had asked before the kubelet acted has led to it, whatever else was the case.
  if (stop === undefined || findAsker(file) !== undefined) return undefined;
  const { stops, untraced, ...base } = stop;
  const reasons = findOwnReasons(file);
  const [reason, ...others] = reasons;
  if (reason?.how === undefined) return undefined;
  const steps = { ...base.steps, cause: [...(base.steps.cause ?? []), ...reasons.map(({ ref }) => ref)] };
  const later = findOtherAsker(file);
  const says = reasons.map((own) => own.says).join(', and because ');
  if (others.length > 0 || later !== undefined) {
    const asked = later === undefined ? '' : `; before it had ended, ${later.killer} was asked for as well`;
    return leaveOpen({ ...base, steps }, `the kubelet stopped the container, because ${says}${asked}`);
  }
  if (stops.length === 0)
    return leaveOpen(
      { ...base, steps },
      `${says}, and the kubelet did not say that it stops the container for that`,
    );
  const unhanded = findUnhanded(file);
  if (unhanded !== undefined) return leaveOpen({ ...base, steps }, unhanded);
  const inferred =
    reason.how === 'sidecar-done' ? ['the kubelet does not say why: the order of ends does'] : [];
  return { ...base, steps, killer: 'pod-lifecycle', how: reason.how, doubts: [...untraced, ...inferred] };
}

/**
 * Somebody else who asked before the end. The kubelet breaks off what it does with a pod that has to go (`cancelFn` of
 * pkg/kubelet/pod_workers.go), and stops it for that.
 */
function findOtherAsker({ requests, endedAt, to }: CaseFile): StopRequest | undefined {
  const { cause, rivals, unfit, later } = requests;
  return [...(cause === undefined ? [] : [cause]), ...rivals, ...unfit, ...later].find(({ at }) =>
    isAtMost(at, endedAt ?? to, { unknown: 'counts' }),
  );
}

function leaveOpen(base: Pick<Conclusion, 'steps' | 'at' | 'decisive'>, note: string): Conclusion {
  const open = [
    { what: 'whoever asked the kubelet', why: note, wanted: 'the log of the kubelet at that time' },
  ];
  return { ...base, killer: 'unknown', note, open };
}
