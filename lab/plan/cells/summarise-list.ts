import type { ListSummary } from '../../model/saved/answers.ts';
import type { ListResult } from '../../model/saved/formats.ts';
import { variantName } from '../../model/axes/axes.ts';

/** Counts the cells of a list by world and by the rule that refuses them. */
export function summariseList({ formatVersion, cells, skipped, totals, estimates }: ListResult): ListSummary {
  const worlds = new Map<string, ListSummary['worlds'][number]>();
  for (const { variant, estimateSeconds } of cells) {
    const name = variantName(variant);
    const world = worlds.get(name) ?? { name, cells: 0, estimateSeconds: 0 };
    worlds.set(name, {
      name,
      cells: world.cells + 1,
      estimateSeconds: world.estimateSeconds + estimateSeconds,
    });
  }
  const rules = new Map<string, ListSummary['skipped'][number]>();
  for (const { rule, reason, source, proof } of skipped) {
    const known = rules.get(rule);
    rules.set(
      rule,
      known === undefined ? { rule, reason, source, proof, cells: 1 } : { ...known, cells: known.cells + 1 },
    );
  }
  return { formatVersion, worlds: [...worlds.values()], skipped: [...rules.values()], totals, estimates };
}
