import { parametersField } from '../../model/declared/parameters.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { SavedPlan } from '../../model/saved/replay.ts';
import type { PlannedShard, ShardPlan } from '../../model/saved/shard-plan.ts';
import { largest } from '../../model/text/extremes.ts';
import { sum } from '../../model/text/sum.ts';
import { choiceOf, toSkipped } from '../../plan/cells/list-result.ts';

/** Converts shards of a plan into the plan that a run saves in its folder. */
export function toSavedPlan(plan: ShardPlan, shards: readonly PlannedShard[] = plan.shards): SavedPlan {
  const worlds = shards.flatMap((shard) => shard.worlds);
  const names = new Map(worlds.map((world) => [world.name, world]));
  return {
    formatVersion: FORMAT_VERSION,
    cells: worlds.flatMap(({ variant, cells }) =>
      cells.map(({ address, scenario, parameters, set, estimateSeconds }) => ({
        address,
        variant: { ...variant },
        scenario,
        ...parametersField(parameters ?? {}),
        set: [...set],
        estimateSeconds,
      })),
    ),
    skipped: plan.skipped.map(toSkipped),
    worlds: [...names.values()].map(({ name, estimateSeconds }) => ({
      name,
      why: 'as the host of its shard decides',
      estimateSeconds,
    })),
    totals: {
      cells: sum(worlds.map(({ cells }) => cells.length)),
      skipped: plan.skipped.length,
      worlds: names.size,
      estimateSeconds: sum(shards.map(({ estimateSeconds }) => estimateSeconds)),
      memoryMiB: largest(
        shards.map(({ memoryMiB }) => memoryMiB),
        0,
      ),
    },
    estimates: plan.estimates,
    notes: plan.notes.map((note) => ({ ...note, variants: [...note.variants] })),
    ...choiceOf(plan),
    // No word selected what is judged: it is what was saved.
    ...(plan.work === 'judge' ? {} : { words: [...plan.words] }),
  };
}
