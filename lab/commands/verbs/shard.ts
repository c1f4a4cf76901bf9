import { resolve } from 'node:path';
import { writeTextAtomic } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { ShardPlan } from '../../model/saved/shard-plan.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { plural } from '../../model/text/plural.ts';
import { readShard } from '../../plan/shards/shard-index.ts';
import { renderManifest } from '../../report/manifests/render-manifest.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { ClosedWord } from '../context/closed-words.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { spellPath } from '../context/spell-path.ts';
import { refuseOtherConfiguration } from '../sharding/load-shard.ts';
import { readShardPlan, refuseEvidence } from '../sharding/read-plan.ts';
import { runBake } from './bake.ts';

type RunAction = (context: Context, plan: ShardPlan, flags: Flags) => Promise<VerbAnswer>;

const ACTIONS: Readonly<Record<string, RunAction>> = { manifest, bake } satisfies Record<
  ClosedWord<'shard'>,
  RunAction
>;

/** `whodunit shard manifest|bake`: prints the job file of a plan for an engine, or builds one of its images. */
export const runShardVerb: RunVerb = async (context, [name = '', ...more], flags) => {
  const known = Object.keys(ACTIONS);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined || more.length > 0)
    throw new UsageError(`shard has no action "${[name, ...more].join(' ')}"${formatHint(name, known)}`, {
      tryNext: 'npx whodunit help shard',
    });
  if (flags.plan === undefined)
    throw new UsageError(`shard ${name} is about a plan file`, {
      tryNext: 'npx whodunit plan <selectors> --shards 8 --out plan.json, then --plan plan.json',
    });
  return action(context, readShardPlan(flags.plan), flags);
};

async function manifest(_: Context, plan: ShardPlan, flags: Flags): Promise<VerbAnswer> {
  const { evidence, keepEvidence, out, engine, plan: file = '' } = flags;
  if (plan.work === 'judge' && evidence === undefined)
    throw new UsageError('this plan judges saved evidence, and its tasks need the folder', {
      tryNext: '--evidence <folder>, as it is called where they run',
    });
  refuseEvidence(plan, evidence);
  const text = renderManifest(engine, { plan, file, evidence, keepEvidence });
  if (out === undefined) return { status: 'passed', text: () => text.trimEnd() };
  writeTextAtomic(resolve(out), text);
  return {
    status: 'passed',
    text: () => `${spellPath(out)}: ${engine ?? ''}, ${plural(plan.shards.length, 'task')}`,
  };
}

/** Builds the image of one task. */
async function bake(context: Context, plan: ShardPlan, flags: Flags): Promise<VerbAnswer> {
  const { shard } = readShard(flags.shard ?? 'auto', context.env, 'shard');
  const image = plan.images[shard - 1];
  if (image === undefined)
    throw new UsageError(`there is no image ${shard}: the plan has ${plural(plan.images.length, 'image')}`, {
      tryNext:
        plan.images.length === 0
          ? 'this plan needs no image: npx whodunit help shard'
          : `number the tasks from 1 to ${plan.images.length}`,
    });
  refuseOtherConfiguration(context, plan);
  return runBake(context, [image.variant], flags);
}
