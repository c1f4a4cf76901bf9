import { AXES, DEFAULT_VARIANT, variantName, type Variant } from '../model/axes.ts';
import type { Bug, BugVariant } from '../model/bug.ts';
import { bracket, cellAddress } from '../model/cell-address.ts';
import type { ParameterTexts } from '../model/parameters.ts';
import type { LoadedScenario } from '../model/scenario.ts';
import { changedTexts } from './fill-parameters.ts';

/** Returns the whole variant that a bug describes; axes that it does not name keep their default. */
export function variantOfBug(described: BugVariant): Variant {
  const variant = { ...DEFAULT_VARIANT };
  for (const axis of AXES) variant[axis] = described[axis] ?? variant[axis];
  return Object.freeze(variant);
}

/** Returns what a bug describes beside axes: values of the parameters of its scenario. */
export function parametersOfBug(described: BugVariant): ParameterTexts {
  const isAxis = (name: string): boolean => (AXES as readonly string[]).includes(name);
  return Object.fromEntries(Object.entries(described).filter(([name]) => !isAxis(name)));
}

/** Addresses of the cells of a bug: affected, fixed, controls. */
export function addressesOfBug(bug: Bug, scenarios: readonly LoadedScenario[]): string[] {
  return describedBy(bug).map((described) =>
    cellAddress(variantName(variantOfBug(described)), bug.scenario, changedBy(bug, described, scenarios)),
  );
}

/** What a bug describes, as selectors: `systemd+cgroupfs`, `default[limit=64Mi]`; in the order of the addresses. */
export function selectorsOfBug(bug: Bug, scenarios: readonly LoadedScenario[]): string[] {
  return describedBy(bug).map(
    (described) => `${variantName(variantOfBug(described))}${bracket(changedBy(bug, described, scenarios))}`,
  );
}

function describedBy(bug: Bug): BugVariant[] {
  return [bug.affected, bug.fixed, ...bug.controls.map((control) => control.variant)];
}

function changedBy(bug: Bug, described: BugVariant, scenarios: readonly LoadedScenario[]): ParameterTexts {
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  return changedTexts(loaded?.scenario.parameters ?? {}, parametersOfBug(described));
}
