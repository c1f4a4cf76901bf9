import type { CaseFile } from '../case-file.ts';
import { CHOSEN } from '../../records/exit-codes.ts';
import { isAtMost, latest, shift } from '../../records/times.ts';
import { FOLLOWS_MS } from '../../records/tolerances.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { findStops, hasHook } from './kubelet-stop.ts';
import { findAsked, isRuntimeHeard } from './request-order.ts';

const NOT_ASKED =
  'the runtime was heard, and nobody had asked it to stop the container before it ended: by its preStop hook, by itself, or by a signal that nobody traced';
const MAY_BE_HOOK =
  'its preStop hook ran before the runtime was asked, and the log of the runtime, which has that request, was not heard: the hook may have ended it, or somebody meanwhile';
const MAY_BE_OWN =
  'nobody traced a signal to it, and its exit code is one that a program chooses, and not what a stop leaves behind';
const LATE =
  'the kubelet asks the runtime at once or after a preStop hook, the signal came later, and the log of the runtime, which has the request, was not heard: it may have been for somebody else';

/**
 * Why nothing says that the runtime acted for the kubelet, although the kubelet meant to stop the container. Between both is
 * a preStop hook, which takes as long as it likes (killContainer of pkg/kubelet/kuberuntime/kuberuntime_container.go). Only
 * the request in the runtime's log, or its signal right after the kubelet's word, shows that it was over.
 */
export function findUnhanded(file: CaseFile): string | undefined {
  const { killingSignal, end } = file;
  const code = end?.exitCode ?? 0;
  if (killingSignal === undefined && code >= CHOSEN.from && code <= CHOSEN.to) return MAY_BE_OWN;
  if (findAsked(file).length > 0) return undefined;
  if (killingSignal !== undefined) {
    const said = latest(
      findStops(file).map(({ record }) =>
        record.kind === 'kube-event' ? shift(record.firstAt ?? record.at, CUT_MS) : record.at,
      ),
    );
    const isAtOnce = isAtMost(killingSignal.stop.at, shift(said, FOLLOWS_MS), { unknown: 'counts' });
    return isAtOnce || isRuntimeHeard(file) ? undefined : LATE;
  }
  if (isRuntimeHeard(file)) return NOT_ASKED;
  return hasHook(file) ? MAY_BE_HOOK : undefined;
}
