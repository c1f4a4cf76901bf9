import { readNamedText } from '../../drivers/files/named-file.ts';
import { variantName, type Variant } from '../../model/axes/axes.ts';
import { digestInputs, flattenInputs } from '../../model/components/inputs.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { ShardPlan } from '../../model/saved/shard-plan.ts';
import { sum } from '../../model/text/sum.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { parseHostClass } from '../../plan/shards/host-class.ts';
import { planShards, type WorldNeeds } from '../../plan/shards/plan-shards.ts';
import { listBuildsOfVariant } from '../../plan/variants/named-builds.ts';
import { createEstimator, parsePastTimings, type PastTiming } from '../../plan/worlds/estimate.ts';
import { planWorld } from '../../world/recipe/recipe.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { readOwnVersion } from '../context/own-version.ts';
import { loadQuietly, planChecked, readChoice } from '../setup/config.ts';
import { digestConfiguration } from './digest-configuration.ts';

/**
 * Divides the cells that words select into shards. What this host has (earlier timings, saved worlds, memory) does not
 * matter: every host makes the same plan, byte for byte.
 *
 * @param flags --shards, --max-minutes, --timings, --host, --seed, --sample and --pairwise.
 * @throws UsageError, ConfigError
 */
export function makeShardPlan(context: Context, words: readonly string[], flags: Flags): ShardPlan {
  const config = loadQuietly(context);
  const timings = readTimings(flags.timings);
  const host = flags.host === undefined ? {} : parseHostClass(flags.host);
  const plan = planChecked(context, config, words, {
    timings,
    host: host.memoryMiB === undefined ? {} : { memoryMiB: host.memoryMiB },
    ...readChoice(flags),
  });
  refuseLocalBuilds(plan.worlds.map(({ variant }) => variant));
  return planShards({
    plan,
    matrix: config.matrix,
    estimator: createEstimator(timings),
    needsOf: rememberNeeds(context, config),
    words,
    host,
    version: readOwnVersion(),
    configuration: digestConfiguration(context.projectDir),
    shards: flags.shards,
    maxMinutes: flags.maxMinutes,
  });
}

function readTimings(file: string | undefined): PastTiming[] {
  if (file === undefined) return [];
  const tryNext = 'timings.jsonl of a state folder has what earlier runs took';
  const text = readNamedText({ name: file, is: 'a timings.jsonl', tryNext });
  const timings = parsePastTimings(text.split('\n'));
  if (timings.length > 0) return timings;
  throw new UsageError(`${file} has no line with a time`, { tryNext });
}

/** @throws UsageError when a variant names a local build: its path means something else on another host. */
function refuseLocalBuilds(variants: readonly Variant[]): void {
  const labels = new Set(variants.flatMap(listBuildsOfVariant).map(({ label }) => label));
  if (labels.size === 0) return;
  throw new UsageError(`a plan is for several hosts, and ${[...labels].join(', ')} is a file of this one`, {
    tryNext: 'npx whodunit run, with the same words',
  });
}

/** Returns a function from a variant to the needs of its world. Each variant is planned once. */
function rememberNeeds(
  { projectDir }: Pick<Context, 'projectDir'>,
  { matrix, catalogue }: Config,
): (variant: Variant) => WorldNeeds {
  const known = new Map<string, WorldNeeds>();
  return (variant) => {
    const name = variantName(variant);
    const found = known.get(name);
    if (found !== undefined) return found;
    const { suite, kubernetes, kernel, components, nodes } = planWorld(variant, {
      matrix,
      catalogue,
      projectDir,
    });
    const needs: WorldNeeds = {
      image: digestInputs(flattenInputs({ suite, kubernetes, kernel, components })).slice(0, KEY_DIGITS),
      memoryMiB: sum(nodes.map(({ memoryMiB }) => memoryMiB)),
      cpus: sum(nodes.map(({ vcpus }) => vcpus)),
    };
    known.set(name, needs);
    return needs;
  };
}

/** Digits of a digest in the name of an image: enough for some hundred images. */
const KEY_DIGITS = 16;
