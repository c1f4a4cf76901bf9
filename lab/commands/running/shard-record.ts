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

/** A shard and its plan. */
export interface RunOfShard {
  readonly plan: ShardPlan;
  readonly shard: PlannedShard;
}

/** Makes the id of a new run. For a shard it ends with its index, because a thousand hosts may start in the same second. */
export function nameRun(nowMs: number, run: RunOfShard | undefined): string {
  const id = newRunId(nowMs);
  return run === undefined ? id : `${id}-${run.shard.shard}of${run.plan.shards.length}`;
}

/** Saves which shard of which plan a run is. This is done before its first cell, because the run may be killed. */
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

/** Returns which shard of which plan a run is; undefined when it is not one, or when its record cannot be read. */
export function findShardRecord(dir: string): ShardRecord | undefined {
  return shardRecordSchema.safeParse(findJsonInside(dir, runPaths(dir).shard)).data;
}

/**
 * Registers this lab as one that works on a plan, for the other labs on this host. The returned function ends that.
 *
 * @param plan the digest of the plan.
 */
export function joinPlan({ uid, stateDir }: Pick<Context, 'uid' | 'stateDir'>, plan: string): () => void {
  return joinSiblings(claimsFolder(uid), { plan, guests: libvirtPrefix(stateDir) });
}
