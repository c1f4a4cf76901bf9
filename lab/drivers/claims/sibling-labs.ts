import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { findText, listFolder, writeJsonAtomic } from '../files/files.ts';
import { isProcessAlive } from '../processes/liveness.mjs';
import { thisProcess } from '../processes/processes.ts';
import { makePrivateClaims } from './claims.ts';

/**
 * Labs of one user that run shards of one plan beside each other on one host. Each leaves a lease in the folder of the claims, so that
 * none takes the others for programs of somebody else.
 */

const siblingSchema = z.strictObject({
  pid: z.number().int(),
  /** Start time of that process: a reused pid is not the lab. */
  startTicks: z.string(),
  /** Digest of the plan. */
  plan: z.string(),
  /** What the names of its guests begin with. */
  guests: z.string(),
});

/** A lab that runs a shard. */
export interface SiblingLab {
  readonly pid: number;
  readonly guests: string;
}

const SUFFIX = '.shard';

/**
 * Says that this process runs a shard of a plan, until the returned function is called or the process ends.
 *
 * @param folder of the claims of this user; only this user may write to it.
 */
export function joinSiblings(
  folder: string,
  lease: { readonly plan: string; readonly guests: string },
): () => void {
  makePrivateClaims(folder);
  const path = join(folder, `${process.pid}-${randomUUID()}${SUFFIX}`);
  writeJsonAtomic(path, { ...thisProcess(), ...lease });
  return () => rmSync(path, { force: true });
}

/** The other living labs that run shards of the plan of which this process runs one; what dead ones left is removed. */
export function listSiblings(folder: string): SiblingLab[] {
  const leases = listFolder(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => {
      const path = join(folder, name);
      // It may go while we look.
      const lease = siblingSchema.safeParse(tryParseJson(findText(path) ?? '')).data;
      if (lease !== undefined && isProcessAlive(lease.pid, lease)) return [lease];
      rmSync(path, { force: true });
      return [];
    });
  const own = new Set(leases.filter(({ pid }) => pid === process.pid).map(({ plan }) => plan));
  return leases
    .filter(({ pid, plan }) => pid !== process.pid && own.has(plan))
    .map(({ pid, guests }) => ({ pid, guests }));
}
