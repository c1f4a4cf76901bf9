import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { KernelKilled } from '../../model/evidence/observation.ts';
import { coverageOf, type EvidenceIndex } from './evidence-index.ts';

/** A container, and when it started and ended, in milliseconds since the epoch. */
export interface LifeOnNode {
  readonly node: string | undefined;
  readonly containerId: string;
  readonly startedAt: number | undefined;
  readonly at: number | undefined;
}

/** When a node booted, as its kernel logs say: oldest first; empty where they do not. */
export function bootsOf(index: EvidenceIndex, node: string | undefined): readonly number[] {
  return coverageOf(index, 'kmsg', node).find(({ boots }) => boots !== undefined)?.boots ?? [];
}

/**
 * The boot in which a container lived, as its records name it: no container survives a boot. Undefined where its node booted several
 * times and nothing tells in which of them it lived.
 */
export function bootOfLife(
  index: EvidenceIndex,
  { node, containerId, startedAt, at }: LifeOnNode,
): string | undefined {
  const killed = new Set(findKillsOf(index, containerId).map(({ boot }) => boot));
  const [boot] = killed;
  if (boot !== undefined && killed.size === 1) return boot;
  const starts = bootsOf(index, node);
  // An end may be noticed only after the next boot.
  const time = startedAt ?? at;
  if (starts.length > 1 && time === undefined) return undefined;
  const number = time === undefined ? 1 : starts.filter((start) => start <= time).length;
  return `${node ?? ''} ${Math.max(number, 1)}`;
}

/** The kills by the kernel that name a container. */
export function findKillsOf(index: EvidenceIndex, containerId: string): readonly KernelKilled[] {
  if (containerId === '') return [];
  return index.of('kernel-killed').filter(({ context, group }) => {
    const cgroup = context?.taskMemcg ?? group?.cgroup;
    return cgroup !== undefined && parseCgroupPath(cgroup).containerId === containerId;
  });
}
