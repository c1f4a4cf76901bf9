import { countCpus } from '../../drivers/host/host-facts.ts';
import { readTotalMemoryMiB } from '../../drivers/host/memory.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { namesSome } from '../../model/text/plural.ts';
import type { PlannedShard, ShardPlan } from '../../model/saved/shard-plan.ts';
import { listShortcomings } from '../../plan/shards/host-class.ts';
import { readShard } from '../../plan/shards/shard-index.ts';
import { proveAccelerator } from '../../world/host/accelerator.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { loadQuietly, planWords } from '../setup/config.ts';
import type { RunRequest } from '../running/run-plan.ts';
import { digestConfiguration } from './digest-configuration.ts';
import { makeShardPlan } from './make-plan.ts';
import { addressesOfShard, getShard, readShardPlan, refuseEvidence, shortDigest } from './read-plan.ts';

/** The shard that a command line names, and its plan. */
export interface AskedShard {
  readonly plan: ShardPlan;
  readonly shard: PlannedShard;
}

/**
 * Finds the shard of `run --plan <file> --shard <index>` or `run <words> --shard i/n`. Without a plan file, every host
 * divides the cells in the same way.
 *
 * @throws UsageError
 */
export function findAskedShard(context: Context, words: readonly string[], flags: Flags): AskedShard {
  if (flags.shard === undefined)
    throw new UsageError('--plan needs a shard of it', {
      tryNext: '--shard 1, or --shard auto in a task of an engine',
    });
  const { shard, of } = readShard(flags.shard, context.env);
  if (flags.plan !== undefined) {
    if (words.length > 0)
      throw new UsageError('the plan has its cells, so --plan takes no selectors', {
        tryNext: 'npx whodunit run --plan plan.json --shard 1',
      });
    const plan = readShardPlan(flags.plan);
    return { plan, shard: getShard(plan, shard, of) };
  }
  if (of === undefined)
    throw new UsageError('without a plan --shard needs to know how many there are: --shard 3/8', {
      tryNext: 'npx whodunit run --shard 3/8, or npx whodunit plan --shards 8 --out plan.json',
    });
  const plan = makeShardPlan(context, words, { ...flags, shards: of });
  return { plan, shard: getShard(plan, shard, of) };
}

/**
 * Plans a shard on this host.
 *
 * @throws UsageError when this project has another configuration, when the host is too small, or when it would skip cells.
 */
export async function loadShard(context: Context, asked: AskedShard, flags: Flags): Promise<RunRequest> {
  const { plan, shard } = asked;
  refuseOtherConfiguration(context, plan);
  refuseEvidence(plan, flags.evidence);
  // A dry run may be for another host.
  if (flags.dryRun !== true) await refuseWeakHost(context, asked);
  const config = loadQuietly(context);
  const addresses = addressesOfShard(shard);
  const planned = planWords(context, config, addresses, flags, { areAddresses: true });
  const [skipped] = planned.skipped;
  if (skipped !== undefined)
    throw new UsageError(
      `this host would skip ${namesSome(planned.skipped.map(({ address }) => address))}: ${skipped.reason}`,
      { tryNext: 'run the shard on a host of the class of its plan, or plan again with --host' },
    );
  return { config, plan: planned, flags, asked: { words: [...plan.words] }, shard: asked };
}

/** @throws UsageError when this project has another configuration than the plan. */
export function refuseOtherConfiguration({ projectDir }: Pick<Context, 'projectDir'>, plan: ShardPlan): void {
  const own = digestConfiguration(projectDir);
  if (own === plan.configuration) return;
  throw new UsageError(
    `the plan is of another configuration: ${shortDigest(plan.configuration)}, and this project is ${shortDigest(own)}`,
    { tryNext: 'check out the revision that was planned, or plan again' },
  );
}

async function refuseWeakHost(context: Context, { plan, shard }: AskedShard): Promise<void> {
  if (shard.worlds.length === 0) return;
  const { accelerator } = await proveAccelerator(context);
  const found = { memoryMiB: readTotalMemoryMiB(), cpus: countCpus(), accelerator };
  const problems = listShortcomings(plan.host, shard, found);
  if (problems.length === 0) return;
  throw new UsageError(`this host cannot run shard ${shard.shard}: ${problems.join('; ')}`, {
    tryNext: 'run it on a host of the class of its plan, or plan again with --host',
  });
}
