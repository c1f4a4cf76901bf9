import { createHash } from 'node:crypto';
import type { ScenarioSource } from '../../model/declared/scenario.ts';

/**
 * SHA-256 (hexadecimal) over what the files of a scenario say: `scenario.yaml`, manifests, later objects and scripts,
 * before parameters are filled in. Comments and line breaks of YAML do not count.
 */
export function digestScenario({ scenario, manifests, later, scripts }: ScenarioSource): string {
  return digestOf({ scenario, manifests, later, scripts });
}

/** SHA-256 (hexadecimal) over a value that was read from YAML. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
