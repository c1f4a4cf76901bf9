import type { KernelObservation } from '../model/evidence/observation.ts';
import { createOomReader } from './kernel-oom.ts';
import type { KernelRecord } from './kernel-record.ts';
import { createSaidReader } from './kernel-said.ts';
import type { Where } from './lines.ts';

/** Readers keep only these records. */
const OF_INTEREST = new RegExp(
  [
    'oom',
    '[Kk]ill',
    'Manual OOM',
    'Task in',
    'fork rejected',
    'type=1326',
    'Oops',
    'BUG',
    '[Kk]ernel panic',
    'general protection',
    'lockup',
    'LOCKUP',
    'blocked for more',
    'detected (?:expedited )?stall',
    'deadlocked on memory',
    'Unable to handle',
    'Internal error',
    String.raw`\[#\d`,
    'segfault at',
    'hardware memory corruption',
    'unmap corrupted page',
    String.raw`PID: \d+ Comm: `,
  ].join('|'),
);

/** Whether a record of the kernel may say something that matters. */
export function isOfInterest(text: string): boolean {
  return OF_INTEREST.test(text);
}

/** What the kernel's own records say, in their order; those that are not of interest may be left out. */
export function readKernelRecords(records: readonly KernelRecord[], where: Where): KernelObservation[] {
  const readOom = createOomReader(where);
  const readSaid = createSaidReader(where);
  return records.flatMap((record) => {
    const said = readSaid(record);
    return said === undefined ? readOom(record) : [...readOom(record), said];
  });
}
