import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';

/** Units of a quantity (k8s.io/apimachinery, pkg/api/resource/quantity.go). */
const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E'];
/** An amount as a text. */
export const QUANTITY = new RegExp(`^[+-]?(\\d+\\.?\\d*|\\.\\d+)(${UNITS.join('|')}|[eE][+-]?\\d+)?$`);

/**
 * Checks the amounts of resources in the stimuli of a scenario, with its parameters filled in: the API would refuse one of
 * an unknown unit, but only once a cluster is up. Those of objects are checked with their other fields.
 */
export function checkQuantities({
  scenario,
  folder,
}: Pick<LoadedScenario, 'scenario' | 'folder'>): ConfigProblem[] {
  return checkBelow(`${folder}/scenario.yaml`, 'stimulus', scenario.stimulus);
}

function checkBelow(file: string, path: string, value: unknown): ConfigProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const place = `${path}.${key}`;
    return [
      ...amountsOf(place, key, inner).flatMap(([where, amount]) => checkAmount(file, where, amount)),
      ...checkBelow(file, place, inner),
    ];
  });
}

/** The amounts in a field, each with its path. */
function amountsOf(path: string, key: string, value: unknown): [path: string, amount: unknown][] {
  if (key === 'sizeLimit') return [[path, value]];
  if (!['limits', 'requests'].includes(key) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, amount]) => [`${path}.${name}`, amount]);
}

function checkAmount(file: string, path: string, amount: unknown): ConfigProblem[] {
  if (isQuantity(amount)) return [];
  const { expected, received, nearest } = describeQuantity(amount);
  return [configProblem(file, path, expected, received, nearest)];
}

/** Whether a value is an amount of a resource. */
export function isQuantity(amount: unknown): boolean {
  return typeof amount === 'number' || (typeof amount === 'string' && QUANTITY.test(amount));
}

/** What a value that is not an amount was meant to be. */
export function describeQuantity(amount: unknown): {
  readonly expected: string;
  readonly received: string;
  readonly nearest: string | undefined;
} {
  const [, number = '', unit] = /^([\d.]+)\s*(.+)$/.exec(String(amount)) ?? [];
  const known = unit === undefined ? undefined : nearestUnit(unit);
  const nearest = known === undefined ? undefined : `${number}${known}`;
  return {
    expected: 'an amount such as 64Mi or 500m',
    received: JSON.stringify(amount) ?? 'nothing',
    nearest,
  };
}

/** `Mb`, `MB` and `MiB` are how others write Mi. */
function nearestUnit(unit: string): string | undefined {
  const [, prefix] = /^([kKmMgGtTpP])i?[bB]$/.exec(unit) ?? [];
  return prefix === undefined ? nearestName(unit, UNITS) : `${prefix.toUpperCase()}i`;
}
