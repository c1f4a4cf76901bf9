import { EVIDENCE_FILES } from '../../model/evidence/evidence-files.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import { indexEvidence, type EvidenceIndex } from '../records/evidence-index.ts';
import type { Death } from './death.ts';
import { listKnown, type KnownContainers } from './known-containers.ts';
import { listDeaths } from './list-deaths.ts';

/** An input whose records are indexed once, for all questions about it. */
export interface OpenInput {
  readonly index: EvidenceIndex;
  readonly known: KnownContainers;
  /** Every death that it knows of. */
  readonly deaths: readonly Death[];
  /** The nodes that it has records of. */
  readonly nodes: readonly string[];
  /**
   * The records for a death on that node. Those of a node that do not say of which one are of the only node that they can
   * be of: a pasted log has no name of its node. Where nobody knows the node nothing is given.
   */
  readonly ofNode: (node: string | undefined) => EvidenceIndex;
  /** The records that are of no node, for a death on a node that the input has nothing of. */
  readonly ofCluster: () => EvidenceIndex;
}

/** @param observations sorted by time. */
export function openInput(observations: readonly Observation[]): OpenInput {
  const index = indexEvidence(observations);
  const known = listKnown(index);
  const ofNodes = observations.filter(isOfNode);
  const isNamed = ofNodes.every(({ node }) => node !== undefined);
  // Of many nodes, an index each would fill the memory.
  let latest: { readonly node: string | undefined; readonly index: EvidenceIndex } | undefined;
  return {
    index,
    known,
    deaths: listDeaths(index, known),
    nodes: [...new Set(ofNodes.flatMap(({ node }) => node ?? []))],
    ofNode: (node) => {
      if (node === undefined || isNamed) return index;
      if (latest?.node !== node) latest = { node, index: indexEvidence(assignNode(observations, node)) };
      return latest.index;
    },
    ofCluster: () => indexEvidence(observations.filter((observation) => !isOfNode(observation))),
  };
}

/** Kinds whose records are of the whole cluster, or of the lab itself. */
const OF_CLUSTER: readonly Observation['kind'][] = [
  'pod-seen',
  'kube-event',
  'node-seen',
  'oom-counted',
  'lease-renewed',
  'node-answered',
  'host-load',
  'registry-served',
  'stimulus',
];

/** Whether a record is of one node. */
function isOfNode(observation: Observation): boolean {
  if (observation.kind === 'lost' || observation.kind === 'covered')
    return EVIDENCE_FILES[observation.source].perNode;
  return !OF_CLUSTER.includes(observation.kind);
}

function assignNode(observations: readonly Observation[], node: string): Observation[] {
  return observations.map((observation) =>
    observation.node === undefined && isOfNode(observation)
      ? { ...observation, node, boot: `${node}${observation.boot}` }
      : observation,
  );
}
