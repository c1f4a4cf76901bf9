import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import type { Missed } from '../../model/evidence/cell-record.ts';
import { ensureFolder } from './files.ts';

/** A file of evidence that grows while a cell runs. */
export interface OpenEvidenceFile {
  /** Takes what is to be in it. Nothing that goes wrong is thrown: most often the disk is full. */
  readonly sink: Writable;
  /** Ends it; resolves, never rejects, to why it lacks something. */
  readonly end: () => Promise<Missed[]>;
}

/** Opens a new file of evidence and makes its folder. */
export function openEvidenceFile(path: string): OpenEvidenceFile {
  ensureFolder(dirname(path));
  const sink = createWriteStream(path);
  let why: string | undefined;
  // Without a listener it would end the lab; the first error is the reason of all others.
  sink.on('error', (error) => (why ??= error.message));
  const end = (): Promise<Missed[]> =>
    new Promise((resolve) => {
      sink.end((error?: Error | null) => {
        // A stream that has failed says so before it tells why.
        why ??= (sink.errored ?? error)?.message;
        resolve(why === undefined ? [] : [{ why }]);
      });
    });
  return { sink, end };
}
