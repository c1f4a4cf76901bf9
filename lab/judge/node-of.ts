import type { EvidenceRef } from '../model/formats.ts';

/** The node a reference comes from: the first folder of its file; undefined for evidence of the whole cluster. */
export function nodeOf(ref: EvidenceRef): string | undefined {
  const slash = ref.file.indexOf('/');
  return slash < 0 ? undefined : ref.file.slice(0, slash);
}
