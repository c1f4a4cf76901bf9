import { AXIS_DEFINITIONS, readVariant, type Variant, type VariantValues } from '../../model/axes/axes.ts';
import { deriveFactsOf } from '../../model/variants/axis-list.ts';
import type { Facts } from '../../model/declared/condition.ts';
import type { Matrix } from '../../model/declared/matrix.ts';

/** What is known of the host a plan is for. */
export interface PlannedHost {
  /** All memory of the host, MiB. */
  readonly memoryMiB?: number;
}

/**
 * Derives what follows from a variant: the versions its suite ships, the drivers in effect, its memory. A fact that
 * cannot be known before the world is there (the version of a local build) is left out, never guessed.
 *
 * @throws UsageError for a value that its axis cannot read.
 */
export function deriveFacts(variant: Variant, matrix: Matrix, host: PlannedHost = {}): Facts {
  const { memoryMiB } = host;
  return {
    ...deriveFactsOfValues(readVariant(variant), matrix),
    ...(memoryMiB === undefined ? {} : { hostMemoryMiB: String(memoryMiB) }),
  };
}

/** Derives what follows from values only, also from values that no variant was written with. */
export function deriveFactsOfValues(values: VariantValues, matrix: Matrix): Facts {
  return deriveFactsOf(AXIS_DEFINITIONS, values, matrix);
}
