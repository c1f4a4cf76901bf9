import type { Attribution } from '../model/formats.ts';
import type { CaseFile } from './case-file.ts';
import { readLimit } from './limit.ts';

/** Memory of the pod beside its limit, for a reader; nothing when neither was read. */
export function readFigures(file: CaseFile): Pick<Attribution, 'figures'> {
  const { used, limit } = readLimit(file);
  if (used === undefined && limit === undefined) return {};
  return {
    figures: {
      ...(limit === undefined ? {} : { limitBytes: limit.bytes }),
      ...(used === undefined ? {} : { peakBytes: used.bytes }),
      because: [used?.ref, limit?.ref].filter((each) => each !== undefined),
    },
  };
}
