import type { EvidenceRef } from '../model/formats.ts';

/** The node a reference comes from: the first folder of its file; undefined for evidence of the whole cluster. */
export function nodeOf(ref: EvidenceRef): string | undefined {
  const slash = ref.file.indexOf('/');
  return slash < 0 ? undefined : ref.file.slice(0, slash);
}

/**
 * The boot a reference comes from, as text to compare: node and part of the stream. A pid means the same process
 * within one boot only.
 */
export function bootOf(ref: EvidenceRef): string {
  const part = /\.(\d+)\.\w+$/.exec(ref.file)?.[1] ?? '1';
  return `${nodeOf(ref) ?? ''} ${part}`;
}
