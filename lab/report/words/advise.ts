import type { Attribution, CellResult } from '../../model/saved/formats.ts';
import { findHow, isOomKiller, rowOf } from '../../model/killers/killers.ts';
import { isUnstarted } from './cell-words.ts';

/** One line: what the reader may do about this cell. A run that decides nothing says nothing about a container that lived on. */
export function adviseOnCell(cell: Pick<CellResult, 'verdict' | 'attribution'>): string {
  if (isUnstarted(cell)) return 'make what it waits for, or change the pod: the note has the reason';
  const { verdict, attribution } = cell;
  return verdict === 'inconclusive' && attribution.killer === 'none'
    ? 'run it again: this run decides nothing'
    : adviseOn(attribution);
}

/**
 * Returns in one line what the reader may do about this death. It is the advice in the table of killers
 * (`lab/model/killers/killer-table.ts`), unless a way of the killer, or the level of an OOM kill, has its own.
 */
export function adviseOn(attribution: Attribution): string {
  const { killer, how, process } = attribution;
  // Kubernetes says nothing when only a child dies; a group kill would restart the container.
  const livesOn = (attribution.chain ?? []).every((link) => link.step !== 'end');
  const isHidden = killer === 'memcg-oom' && process === 'child' && how === 'single-process' && livesOn;
  const where = adviseOnLevel(attribution);
  if (isHidden)
    return `${where ?? 'raise limits.memory'}; Kubernetes does not show this death, because the first process lives on`;
  if (where !== undefined) return where;
  const ofHow = how === undefined ? undefined : findHow(killer, how)?.advice;
  if (ofHow !== undefined) return ofHow;
  const { advice } = rowOf(killer);
  if (killer === 'memcg-oom' && attribution.figures?.peakBytes === undefined)
    return `${advice}; memory.peak in the evidence says how much it used`;
  if (killer === 'unknown' && (attribution.open ?? []).length > 0)
    return 'collect what would decide it (named below), and run the cell again';
  return advice;
}

/** Returns the advice for an OOM kill at a limit above the pod: raising the limit of the pod would change nothing. */
function adviseOnLevel({ killer, level }: Attribution): string | undefined {
  if (!isOomKiller(killer) || killer === 'global-oom') return undefined;
  // The kubelet gives the slice of all pods what is allocatable, plus the eviction threshold
  // (node_container_manager.go).
  if (level === 'qos')
    return 'all pods together hit what the node gives to pods: add memory to the node, lower kubeReserved or systemReserved, or move pods away; raising the limit of this pod changes nothing';
  // A cgroup above the pods that is not the whole machine: kind, minikube and docker-in-docker limit their nodes this
  // way.
  if (level === 'node')
    return 'the limit of a container around the node was hit (kind, minikube, docker): give that container more memory; raising the limit of this pod changes nothing';
  return undefined;
}
