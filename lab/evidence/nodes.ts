import type { LeaseRenewed, Lost, NodeSeen } from '../model/evidence/observation.ts';
import {
  ignoreCovered,
  isObject,
  objectAt,
  baseOf,
  stringOf,
  timeOf,
  type EvidenceText,
  type OnCovered,
} from './lines.ts';
import { readWatchLines } from './watch-lines.ts';

/** Reads the versions of Node objects that the API watch delivered. */
export function parseNodes(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (NodeSeen | Lost)[] {
  const observations: (NodeSeen | Lost)[] = [];
  for (const { at, type, object, line } of readWatchLines(
    content,
    file,
    'nodes',
    (lost) => observations.push(lost),
    onCovered,
  )) {
    if (type === 'DELETED') continue;
    const name = stringOf(objectAt(object, 'metadata').name) ?? '';
    const bootId = stringOf(objectAt(object, 'status', 'nodeInfo').bootID) ?? '';
    const conditions = Object.fromEntries(
      objectsIn(objectAt(object, 'status').conditions).map((each) => [
        stringOf(each.type) ?? '',
        stringOf(each.status) ?? '',
      ]),
    );
    const taints = objectsIn(objectAt(object, 'spec').taints).map(
      (each) => `${stringOf(each.key) ?? ''}:${stringOf(each.effect) ?? ''}`,
    );
    const bad = Object.entries(conditions).filter(
      ([kind, status]) => (status === 'True') !== (kind === 'Ready'),
    );
    const said = bad.length === 0 ? 'Ready' : bad.map(([kind, status]) => `${kind}=${status}`).join(', ');
    const base = baseOf('node', at, file, line, `${name}: ${said}, boot id ${bootId}`);
    observations.push({ kind: 'node-seen', ...base, name, bootId, conditions, taints });
  }
  return observations;
}

/** Reads the renewals of the nodes' leases (namespace kube-node-lease, one Lease of the node's name each). */
export function parseLeases(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (LeaseRenewed | Lost)[] {
  const observations: (LeaseRenewed | Lost)[] = [];
  for (const { object, line, type } of readWatchLines(
    content,
    file,
    'leases',
    (lost) => observations.push(lost),
    onCovered,
  )) {
    const metadata = objectAt(object, 'metadata');
    if (type === 'DELETED' || stringOf(metadata.namespace) !== 'kube-node-lease') continue;
    const node = stringOf(metadata.name) ?? '';
    const at = timeOf(objectAt(object, 'spec').renewTime);
    observations.push({
      kind: 'lease-renewed',
      ...baseOf('lease', at, file, line, `lease of ${node}`),
      node,
    });
  }
  return observations;
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  return (Array.isArray(value) ? (value as unknown[]) : []).filter(isObject);
}
