import { readNamedJson } from '../../drivers/files/named-file.ts';
import { UsageError, describeProblem } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { shardPlanSchema, type PlannedShard, type ShardPlan } from '../../model/saved/shard-plan.ts';
import { plural } from '../../model/text/plural.ts';
import { shellWord } from '../../model/text/shell.ts';
import { digestOfPlan } from '../../plan/shards/plan-shards.ts';
import { readOwnVersion } from '../context/own-version.ts';

/** Far more than the 40 MB of a plan with a hundred thousand cells. */
const MAX_PLAN_BYTES = 512 * 1024 * 1024;
/** Digits of a digest that are shown. */
const SHORT = 12;

/**
 * Reads a plan file that `whodunit plan` wrote.
 *
 * @throws UsageError when it does not exist, is not a plan, was changed, or was written by another version; HostError
 *   LAB_ACCESS when it may not be read.
 */
export function readShardPlan(file: string): ShardPlan {
  const tryNext = 'npx whodunit plan <selectors> --shards 8 --out plan.json';
  const value = readNamedJson({ name: file, is: 'a plan', tryNext, maxBytes: MAX_PLAN_BYTES });
  if (value.formatVersion === undefined)
    throw new UsageError(`${file} is not a plan: it has no format version`, { tryNext });
  refuseOtherFormat(file, value);
  const parsed = shardPlanSchema.safeParse(value);
  if (!parsed.success) {
    const [problem] = listZodProblems(file, shardPlanSchema, value, parsed.error);
    throw new UsageError(`${file} is not a plan of this version`, {
      lastSeen: problem === undefined ? 'no detail' : describeProblem(problem),
      tryNext,
    });
  }
  const own = readOwnVersion();
  const plan = value as unknown as ShardPlan;
  if (plan.version !== own)
    throw new UsageError(`${file} is a plan of whodunit ${plan.version}, and this is ${own}`, {
      tryNext: 'install the version of the plan, or plan again',
    });
  if (digestOfPlan(plan) !== plan.plan)
    throw new UsageError(`${file} was changed after it was written: its digest differs`, { tryNext });
  return plan;
}

/** @throws UsageError for a file of another format. */
export function refuseOtherFormat(file: string, value: unknown): void {
  const version = (value as { formatVersion?: unknown } | null)?.formatVersion;
  if (version === FORMAT_VERSION) return;
  const received = version === undefined ? 'no format version' : `format version ${JSON.stringify(version)}`;
  throw new UsageError(`${file} has ${received}, and this whodunit reads ${FORMAT_VERSION}`, {
    tryNext: 'use the version of whodunit that wrote it',
  });
}

/** @throws UsageError for a shard that the plan does not have. */
export function getShard(plan: ShardPlan, shard: number, of: number | undefined): PlannedShard {
  const { length } = plan.shards;
  const found = plan.shards[shard - 1];
  if (of !== undefined && of !== length)
    throw new UsageError(
      `the engine runs ${plural(of, 'task')}, and the plan has ${plural(length, 'shard')}`,
      {
        tryNext: `run ${plural(length, 'task')}, or plan again with --shards ${of}`,
      },
    );
  if (found === undefined)
    throw new UsageError(`there is no shard ${shard}: the plan has shards 1 to ${length}`, {
      tryNext: 'number the tasks as the plan does: npx whodunit help shard',
    });
  return found;
}

/** @throws UsageError for a folder of evidence, given with a plan that runs its cells. */
export function refuseEvidence({ work }: Pick<ShardPlan, 'work'>, evidence: string | undefined): void {
  if (work === 'judge' || evidence === undefined) return;
  throw new UsageError('--evidence is for a plan that judges saved evidence; this one runs cells', {
    tryNext: 'leave --evidence out, or npx whodunit plan --evidence <folder>',
  });
}

/** Returns the addresses of a shard, in its order. */
export function addressesOfShard({ worlds }: PlannedShard): string[] {
  return worlds.flatMap(({ cells }) => cells.map(({ address }) => address));
}

/** Shortens a digest for a person. */
export function shortDigest(digest: string): string {
  return digest.slice(0, SHORT);
}

/** Returns the command that runs one shard of a plan file again. */
export function spellShard(plan: string, shard: number): string {
  return `npx whodunit run --plan ${shellWord(plan)} --shard ${shard}`;
}
