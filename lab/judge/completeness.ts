import type { Lost, Observation } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';

/** A source as a rule needs it; the witness serves two of them. */
export type Source =
  'kmsg' | 'cgroup' | 'trace' | 'containerd' | 'kubelet' | 'pods' | 'events' | 'system' | 'tasks' | 'nodes';

/** The losses that touch the given sources while the victim lived, on its node. */
export function findLosses(file: CaseFile, sources: readonly Source[]): Lost[] {
  return file.observations.filter(
    (each): each is Lost => isLost(each) && touches(each, sources) && concerns(each, file),
  );
}

/** Whether nothing is missing in these sources while the victim lived. */
export function isWhole(file: CaseFile, sources: readonly Source[]): boolean {
  return findLosses(file, sources).length === 0;
}

function isLost(observation: Observation): observation is Lost {
  return observation.kind === 'lost';
}

function touches(lost: Lost, sources: readonly Source[]): boolean {
  if (lost.source !== 'witness') return (sources as readonly string[]).includes(lost.source);
  const part = lost.ref.source;
  if (part === 'trace' || part === 'cgroup') return sources.includes(part);
  return sources.includes('trace') || sources.includes('cgroup');
}

function concerns(lost: Lost, file: CaseFile): boolean {
  const node = lost.node;
  if (node !== undefined && file.node !== undefined && node !== file.node) return false;
  if (lost.at === undefined) return true;
  // A gap may begin before the victim lived and end after it died.
  return (lost.until ?? lost.at) >= file.from && lost.at <= file.to;
}
