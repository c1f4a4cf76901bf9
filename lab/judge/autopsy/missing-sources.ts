import {
  EVIDENCE_FILES,
  EVIDENCE_SOURCES,
  evidencePath,
  type EvidenceSource,
} from '../../model/evidence/evidence-files.ts';
import type { Covered, Lost, Observation } from '../../model/evidence/observation.ts';
import { smallest } from '../../model/text/extremes.ts';
import { API_MS } from '../records/tolerances.ts';

/** Why a kernel log as text is not whole by itself. */
export const UNNUMBERED = 'its records have no numbers: nobody would notice a missing one';

/** The life of a container, as far as it is known, in milliseconds since the epoch. */
interface Life {
  readonly node: string | undefined;
  readonly startedAt: number | undefined;
}

/** Kinds whose records are of the whole cluster, or of the lab itself. */
const OF_CLUSTER: readonly Observation['kind'][] = [
  'pod-seen',
  'kube-event',
  'node-seen',
  'lease-renewed',
  'node-answered',
  'host-load',
  'registry-served',
  'stimulus',
];

/**
 * Gives records of a node that do not say of which one to the only node that they can be of: a pasted log has no name
 * of its node. Where the input names another node nothing is given.
 */
export function assignNode(observations: readonly Observation[], node: string | undefined): Observation[] {
  if (node === undefined) return [...observations];
  return observations.map((observation) =>
    observation.node === undefined && isOfNode(observation)
      ? { ...observation, node, boot: `${node}${observation.boot}` }
      : observation,
  );
}

/** Whether a record is of one node. */
export function isOfNode(observation: Observation): boolean {
  if (observation.kind === 'lost' || observation.kind === 'covered')
    return EVIDENCE_FILES[observation.source].perNode;
  return !OF_CLUSTER.includes(observation.kind);
}

/**
 * Lists what the input lacks, so that no silence is taken for "it did not happen": sources that are not in it, that begin
 * after the container had started, and kernel logs whose missing records nobody would notice.
 */
export function findMissing(observations: readonly Observation[], { node, startedAt }: Life): Lost[] {
  return EVIDENCE_SOURCES.filter((source) => !EVIDENCE_FILES[source].optional).flatMap((source) => {
    const { perNode } = EVIDENCE_FILES[source];
    const own = observations.filter((observation) => !perNode || observation.node === node);
    const isLost = own.some(
      (observation) =>
        observation.kind === 'lost' && observation.source === source && observation.at === undefined,
    );
    if (isLost) return [];
    const covered = own.filter(
      (observation): observation is Covered =>
        observation.kind === 'covered' && observation.source === source,
    );
    const lost = (why: string, until?: number): Lost =>
      loseSource(source, perNode ? node : undefined, why, until);
    if (covered.length === 0 && !own.some((observation) => SAID_BY[source]?.includes(observation.kind)))
      return [lost('it is not in the input')];
    return [
      ...(source === 'kmsg' && covered.some(({ isNumbered }) => isNumbered !== true)
        ? [lost(UNNUMBERED)]
        : []),
      ...(source === 'events' ? [] : beginsLate(covered, startedAt, lost)),
    ];
  });
}

/** What a source must have said to be there, where nothing tells what it covers. */
const SAID_BY: Partial<Record<EvidenceSource, readonly Observation['kind'][]>> = {
  kmsg: ['kernel-killed', 'kernel-oom-context', 'kernel-said', 'kernel-log-ended'],
  witness: ['signal-sent', 'process-exited'],
  containerd: ['runtime-start', 'runtime-created', 'sandbox-created'],
  kubelet: ['kubelet-said'],
  pods: ['pod-seen'],
  events: ['kube-event'],
};

function beginsLate(
  covered: readonly Covered[],
  startedAt: number | undefined,
  lost: (why: string, until: number) => Lost,
): Lost[] {
  const froms = covered.flatMap(({ from }) => from ?? []);
  if (startedAt === undefined || froms.length === 0) return [];
  const from = smallest(froms);
  return from > startedAt + API_MS ? [lost('it begins after the container had started', from)] : [];
}

function loseSource(source: EvidenceSource, node: string | undefined, why: string, until?: number): Lost {
  const file = evidencePath(source, node);
  return {
    kind: 'lost',
    source,
    why,
    at: until === undefined ? undefined : Number.NEGATIVE_INFINITY,
    until,
    node,
    boot: `${node ?? ''} 1`,
    ref: { source, at: '', file, text: why },
  };
}
