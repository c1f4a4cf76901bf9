import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { ListResult } from '../../model/saved/formats.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import type { Plan } from './plan-cells.ts';

/** A plan in the format of `list --json`. */
export function toListResult(plan: Plan): ListResult {
  return {
    formatVersion: FORMAT_VERSION,
    cells: plan.cells.map(({ address, variant, loaded, sets, estimateSeconds }) => ({
      address,
      variant: { ...variant },
      scenario: loaded.scenario.name,
      ...parametersField(loaded.parameters),
      set: [...sets],
      estimateSeconds,
    })),
    skipped: plan.skipped.map(toSkipped),
    worlds: plan.worlds.map(({ name, parent, why, lanes, estimateSeconds }) => ({
      name,
      ...(parent === undefined ? {} : { parent }),
      why,
      ...(lanes === undefined ? {} : { lanes }),
      estimateSeconds,
    })),
    totals: {
      cells: plan.cells.length,
      skipped: plan.skipped.length,
      worlds: plan.worlds.length,
      estimateSeconds: plan.estimateSeconds,
      ...(plan.lanes === undefined ? {} : { lanes: { ...plan.lanes } }),
      ...(plan.buildSeconds === 0 ? {} : { buildSeconds: plan.buildSeconds }),
      memoryMiB: plan.memoryMiB,
    },
    estimates: plan.estimates,
    notes: plan.notes.map(({ kind, note, variants }) => ({
      kind,
      id: note.id,
      reason: note.reason,
      source: note.source,
      proof: note.proof,
      variants: [...variants],
    })),
    ...choiceOf(plan),
  };
}

type Skipped = ListResult['skipped'][number];

/** A cell that a rule refuses, without its variant: the rule says what matters of it. */
export function toSkipped({ address, rule, reason, source, proof }: Skipped): Skipped {
  return { address, rule, reason, source, proof };
}

type Choice = Pick<ListResult, 'seed' | 'pairwise' | 'sample'>;

/** How the cells of a plan were chosen and ordered, as files that are made of it say. */
export function choiceOf(plan: Choice): Choice {
  return {
    ...(plan.seed === undefined ? {} : { seed: plan.seed }),
    ...(plan.pairwise === undefined ? {} : { pairwise: { ...plan.pairwise } }),
    ...(plan.sample === undefined ? {} : { sample: { ...plan.sample } }),
  };
}
