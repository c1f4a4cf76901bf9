import { bootOfLife } from '../records/boots.ts';
import type { CaseFile } from './case-file.ts';

/** The boot in which the container lived; where its node booted several times and nothing tells which, one that no record is of. */
export function bootOf({ first, end, index, node, containerId }: CaseFile): string {
  const life = { node, containerId, startedAt: end?.startedAt, at: end?.at };
  return first?.boot ?? bootOfLife(index, life) ?? `${node ?? ''} ?`;
}
