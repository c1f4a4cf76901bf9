import type { EvidenceRef } from './formats.ts';

/** Where a record is: `node-1/kmsg.log:41`. */
export function placeOf({ file, line }: Pick<EvidenceRef, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`;
}
