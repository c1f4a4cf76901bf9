import { randomBytes } from 'node:crypto';

/** A new run id that sorts by time: `20261120-213005-a1b2`. */
export function newRunId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(2).toString('hex')}`;
}
