import type { Attribution, ChainStep, EvidenceRef, Finding, OpenCause } from '../../model/saved/formats.ts';
import { NOT_EXCLUDED } from '../../model/saved/attribution.ts';
import { groupBy } from '../../model/text/group-by.ts';
import type { CaseFile } from '../case/case-file.ts';
import { refs, type Conclusion } from './conclusion.ts';
import { isRequested } from '../../model/killers/killers.ts';
import { describeGaps, findGaps, findHeardKubelet, type Source } from '../case/coverage.ts';
import { findFinalAct, type Act } from '../case/final-act.ts';

/** Who observed, or passed on, what a source says. */
const OBSERVERS: Readonly<Record<string, string>> = {
  kmsg: 'kernel log',
  cgroup: 'cgroups',
  trace: 'trace',
  witness: 'trace',
  containerd: 'runtime',
  tasks: 'runtime',
  cri: 'runtime',
  kubelet: 'kubelet',
  // The kubelet writes the status of its Node object.
  node: 'kubelet',
  system: 'system',
  stimulus: 'lab',
};

/** How sure an answer is, and why it is not surer. */
export type Confidence = Pick<Attribution, 'confidence' | 'doubts'>;

/**
 * How sure a conclusion is, for every killer alike. `proven` needs four things: the rule has no doubt; its decisive
 * sources are whole over the life of the victim; two records have no observer in common; every finding is explained.
 */
export function weigh(
  file: CaseFile,
  conclusion: Conclusion,
  findings: readonly Finding[],
  open: readonly OpenCause[] = [],
): Confidence {
  if (conclusion.killer === 'unknown') return { confidence: 'none' };
  const gaps = describeGaps(findGaps(file, conclusion.decisive));
  const doubts = [
    ...(conclusion.doubts ?? []),
    ...(gaps === undefined ? [] : [gaps]),
    ...doubtUnheardRequest(file, conclusion),
    ...(file.versions.some(({ isJoinedByTime }) => isJoinedByTime === true)
      ? [
          'only the time tells that the lines of the kernel are of this pod: no record has both its name and its uid',
        ]
      : []),
    ...describeOpen(open.filter(({ why }) => why !== gaps)),
    ...(hasIndependentRecords(file, conclusion)
      ? []
      : ['all records of the proof came through the same source']),
    ...(findings.some((finding) => !finding.explained)
      ? ['something else was seen that nothing explains']
      : []),
  ];
  return doubts.length === 0 ? { confidence: 'proven' } : { confidence: 'likely', doubts };
}

/** Acts that somebody may have asked for, or that came while somebody else had asked. */
const ASKABLE: readonly (Act | undefined)[] = ['outside', 'systemd', 'container', 'itself'];

/** Whether an answer counts on it that nobody had asked for the end, as far as anybody knows. */
function mayBeAsked(file: CaseFile, { killer }: Conclusion): boolean {
  return ASKABLE.includes(findFinalAct(file)?.act) && !isRequested(killer);
}

/** Sources without which the answer would be less sure: those of its rule, and one that would have a request of the kubelet. */
export function listDecisive(file: CaseFile, conclusion: Conclusion): Source[] {
  const heard = mayBeAsked(file, conclusion) ? findHeardKubelet(file) : undefined;
  return [...new Set([...conclusion.decisive, ...(heard === undefined ? [] : [heard])])];
}

/**
 * A request that is pending is a finding. What the kubelet asks for by itself, for a preStop hook first, is only in its log and
 * its events.
 */
function doubtUnheardRequest(file: CaseFile, conclusion: Conclusion): string[] {
  if (!mayBeAsked(file, conclusion) || findHeardKubelet(file) !== undefined) return [];
  return ['neither events nor log of the kubelet are whole: the kubelet may have meant to stop it'];
}

/** One sentence for all that the same silence leaves open. */
function describeOpen(open: readonly OpenCause[]): string[] {
  return [...groupBy(open, ({ why }) => why)].map(
    ([why, all]) => `${NOT_EXCLUDED}${all.map(({ what }) => what).join(', ')} (${why})`,
  );
}

/** Whether two records of the proof have no observer in common. */
function hasIndependentRecords(file: CaseFile, { steps }: Conclusion): boolean {
  const ways = (Object.keys(steps) as ChainStep['step'][]).flatMap((step) =>
    refs(...(steps[step] ?? [])).map((ref) => observersOf(file, ref, step)),
  );
  return ways.some((one) => ways.some((other) => !one.some((observer) => other.includes(observer))));
}

/**
 * Who observed what a record says, and who passed it on. The API server itself observes requests for a deletion;
 * everything else in it was written by others.
 */
function observersOf(file: CaseFile, ref: EvidenceRef, step: ChainStep['step']): string[] {
  if (ref.source === 'event') {
    const event = file.index.of('kube-event').find((kubeEvent) => kubeEvent.ref === ref);
    return [event?.component || 'kubelet'];
  }
  if (ref.source !== 'pod') return [OBSERVERS[ref.source] ?? ref.source];
  const pod = file.index.of('pod-seen').find((version) => version.ref === ref);
  if (step === 'request' || step === 'cause') {
    const isDisrupted = pod?.disruption !== undefined && pod.disruption.reason !== 'TerminationByKubelet';
    return [pod?.deletionAt !== undefined || isDisrupted ? 'api' : 'kubelet'];
  }
  // The state of a container: the runtime tells the kubelet, and the kubelet writes it.
  return ['runtime', 'kubelet'];
}
