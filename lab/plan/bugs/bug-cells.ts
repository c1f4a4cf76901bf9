import { AXES, DEFAULT_VARIANT, variantName, type Variant } from '../../model/axes/axes.ts';
import type { Bug, BugVariant } from '../../model/declared/bug.ts';
import { bracket, cellAddress } from '../../model/host/cell-address.ts';
import type { ParameterTexts } from '../../model/declared/parameters.ts';
import type { Matrix, StartFailure } from '../../model/declared/matrix.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import { deriveFacts } from '../variants/facts.ts';
import { changedTexts } from '../parameters/fill-parameters.ts';
import { tryScenario } from '../parameters/fill-scenario.ts';
import { findEntry, findStartFailure, outcomeOfEntry } from '../variants/find-rule.ts';

/** Returns the whole variant that a bug describes; axes that it does not name keep their default. */
export function variantOfBug(described: BugVariant): Variant {
  const variant = { ...DEFAULT_VARIANT };
  for (const axis of AXES) variant[axis] = described[axis] ?? variant[axis];
  return Object.freeze(variant);
}

/** Returns what a bug describes in addition to axes: values of the parameters of its scenario. */
export function parametersOfBug(described: BugVariant): ParameterTexts {
  const isAxis = (name: string): boolean => (AXES as readonly string[]).includes(name);
  return Object.fromEntries(Object.entries(described).filter(([name]) => !isAxis(name)));
}

/** Every axis and parameter of a side of a bug, with its value. */
export function valuesOfSide(
  side: BugVariant,
  { parameters }: LoadedScenario,
): Readonly<Record<string, string>> {
  return { ...variantOfBug(side), ...parameters, ...parametersOfBug(side) };
}

/** The axes and parameters in which the sides of a bug differ: a value that is the default anyway is not a difference. */
export function listDifferencesOfSides(
  { affected, fixed }: Pick<Bug, 'affected' | 'fixed'>,
  loaded: LoadedScenario,
): string[] {
  const [bad, good] = [valuesOfSide(affected, loaded), valuesOfSide(fixed, loaded)];
  return Object.keys(bad).filter((name) => bad[name] !== good[name]);
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

/**
 * Returns what the scenario of a bug expects of a variant that the bug describes; undefined when the scenario is not
 * known or not valid under these parameters.
 *
 * @param filledWith another variant that must end in the same way: its parameters are filled in.
 */
export function outcomeOfBug(
  bug: Bug,
  described: BugVariant,
  { matrix, scenarios }: { readonly matrix: Matrix; readonly scenarios: readonly LoadedScenario[] },
  filledWith: BugVariant = described,
): Outcome | undefined {
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  if (loaded === undefined) return undefined;
  const usual = tryScenario(loaded.source, parametersOfBug(described));
  const filled = filledWith === described ? usual : tryScenario(loaded.source, parametersOfBug(filledWith));
  if (!('scenario' in usual) || !('scenario' in filled)) return undefined;
  const variant = variantOfBug(described);
  const known = { ...deriveFacts(variant, matrix), ...usual.parameters };
  return outcomeOfEntry(filled.scenario, findEntry(usual.scenario, variant, known));
}

/** Returns the declaration that no pod starts on a variant that a bug describes; undefined when they should. */
export function startFailureOfBug(described: BugVariant, matrix: Matrix): StartFailure | undefined {
  return findStartFailure(matrix, variantOfBug(described));
}

/** The variants of a bug as its file describes them: affected, fixed, controls. */
export function describedBy(bug: Bug): BugVariant[] {
  return [bug.affected, bug.fixed, ...bug.controls.map((control) => control.variant)];
}

function changedBy(bug: Bug, described: BugVariant, scenarios: readonly LoadedScenario[]): ParameterTexts {
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  const given = parametersOfBug(described);
  // Without the scenario nobody knows the defaults: what is given tells variants apart, and nothing else.
  if (loaded === undefined) return Object.fromEntries(Object.entries(given).sort());
  return changedTexts(loaded.scenario.parameters, given);
}
