import type { LeaseRenewed, Lost, NodeSeen } from '../model/evidence/observation.ts';
import {
  ignoreCovered,
  objectAt,
  objectsIn,
  baseOf,
  stringOf,
  timeOf,
  type EvidenceText,
  type OnCovered,
  type Where,
} from './lines.ts';
import { parseWatch, type WatchLine } from './watch-lines.ts';

/** Reads the versions of Node objects that the API watch delivered. */
export function parseNodes(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (NodeSeen | Lost)[] {
  return parseWatch(content, file, 'nodes', (line) => nodeOf(line, file), onCovered);
}

/** What one version of a Node says. */
export function nodeOf({ at, type, object, line }: WatchLine, where: Where): NodeSeen | undefined {
  if (type === 'DELETED') return undefined;
  const name = stringOf(objectAt(object, 'metadata').name) ?? '';
  const nodeInfo = objectAt(object, 'status', 'nodeInfo');
  const bootId = stringOf(nodeInfo.bootID) ?? '';
  const kubeletVersion = stringOf(nodeInfo.kubeletVersion);
  const os = stringOf(nodeInfo.operatingSystem);
  const conditions = Object.fromEntries(
    objectsIn(objectAt(object, 'status').conditions).map((condition) => [
      stringOf(condition.type) ?? '',
      stringOf(condition.status) ?? '',
    ]),
  );
  const taints = objectsIn(objectAt(object, 'spec').taints).map(
    (taint) => `${stringOf(taint.key) ?? ''}:${stringOf(taint.effect) ?? ''}`,
  );
  const bad = Object.entries(conditions).filter(
    ([kind, status]) => (status === 'True') !== (kind === 'Ready'),
  );
  const said = bad.length === 0 ? 'Ready' : bad.map(([kind, status]) => `${kind}=${status}`).join(', ');
  const base = baseOf('node', at, where, line, `${name}: ${said}, boot id ${bootId}`);
  return { kind: 'node-seen', ...base, name, bootId, kubeletVersion, os, conditions, taints };
}

/** Reads the renewals of the nodes' leases (namespace kube-node-lease, one Lease of the node's name each). */
export function parseLeases(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (LeaseRenewed | Lost)[] {
  return parseWatch(content, file, 'leases', (line) => leaseOf(line, file), onCovered);
}

/** What one version of a Lease says; undefined when it is not that of a node. */
export function leaseOf({ type, object, line }: WatchLine, where: Where): LeaseRenewed | undefined {
  const metadata = objectAt(object, 'metadata');
  if (type === 'DELETED' || stringOf(metadata.namespace) !== 'kube-node-lease') return undefined;
  const node = stringOf(metadata.name) ?? '';
  const at = timeOf(objectAt(object, 'spec').renewTime);
  return { kind: 'lease-renewed', ...baseOf('lease', at, where, line, `lease of ${node}`), node };
}
