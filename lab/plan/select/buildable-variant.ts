import { variantName, type Variant } from '../../model/axes/axes.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { refuseUnmade } from '../check/check-versions.ts';
import { findRefusal } from '../variants/find-rule.ts';
import type { Config } from '../config/parse-config.ts';
import { parseVariant } from '../variants/parse-variant.ts';

/**
 * Returns the variant that words describe, for verbs that need one world.
 *
 * @throws UsageError when a word is wrong, no source has a version, or a rule refuses the variant.
 */
export function getBuildableVariant(config: Config, words: readonly string[]): Variant {
  const variant = parseVariant(config.matrix, words);
  const refusal = findRefusal(config.matrix, variant);
  if (refusal === undefined) {
    refuseUnmade(config, [variant]);
    return variant;
  }
  throw new UsageError(`${variantName(variant)} cannot be built: ${refusal.reason} (rule ${refusal.rule})`, {
    tryNext: `read ${refusal.source}, or choose another variant`,
  });
}
