import { claimsFolder } from '../../drivers/claims/claims.ts';
import { joinSiblings } from '../../drivers/claims/sibling-labs.ts';
import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { newRunId } from '../../drivers/run-id.ts';
import { libvirtPrefix } from '../../model/host/machine.ts';
import { runPaths } from '../../model/host/paths.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { PlannedShard, ShardPlan } from '../../model/saved/shard-plan.ts';
import { shardRecordSchema, type ShardRecord } from '../../model/saved/shard-record.ts';
import type { Context } from '../context/context.ts';
import { readOwnVersion } from '../context/own-version.ts';
import type { RunHead } from './record-run.ts';

/** A shard that is run, and its plan. */
export interface RunOfShard {
  readonly plan: ShardPlan;
  readonly shard: PlannedShard;
}

/** A new id. Of a shard it ends with its index: a thousand hosts start in the same second. */
export function nameRun(nowMs: number, part: RunOfShard | undefined): string {
  const id = newRunId(nowMs);
  return part === undefined ? id : `${id}-${part.shard.shard}of${part.plan.shards.length}`;
}

/** Saves which part of which plan a run is, before its first cell: its result may be cut short. */
export function saveShardRecord(dir: string, head: RunHead, { plan, shard }: RunOfShard): void {
  const record: ShardRecord = {
    formatVersion: FORMAT_VERSION,
    plan: plan.plan,
    shard: shard.shard,
    of: plan.shards.length,
    version: readOwnVersion(),
    run: head.run,
    startedAt: head.startedAt,
    host: head.host,
    accelerator: head.accelerator,
  };
  writeJsonAtomic(runPaths(dir).shard, record);
}

/** Which part of which plan a run is; undefined when it is none, or when that cannot be read. */
export function findShardRecord(dir: string): ShardRecord | undefined {
  return shardRecordSchema.safeParse(findJsonInside(dir, runPaths(dir).shard)).data;
}

/**
 * Tells the labs beside this one that it works on the same plan, until the returned function is called.
 *
 * @param plan its digest.
 */
export function joinPlan({ uid, stateDir }: Pick<Context, 'uid' | 'stateDir'>, plan: string): () => void {
  return joinSiblings(claimsFolder(uid), { plan, guests: libvirtPrefix(stateDir) });
}
