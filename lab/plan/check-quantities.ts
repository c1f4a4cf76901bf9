import { configProblem, type ConfigProblem } from '../model/errors.ts';
import { nearestName } from '../model/nearest.ts';
import type { LoadedScenario } from '../model/scenario.ts';

/** Units of a quantity (k8s.io/apimachinery, pkg/api/resource/quantity.go). */
const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E'];
const QUANTITY = new RegExp(`^[+-]?(\\d+\\.?\\d*|\\.\\d+)(${UNITS.join('|')}|[eE][+-]?\\d+)?$`);

/**
 * Checks the amounts of resources in the objects of a scenario, with its parameters filled in: the API would refuse one of
 * an unknown unit, but only once a cluster is up.
 */
export function checkQuantities({
  scenario,
  folder,
  manifests,
  later,
}: Pick<LoadedScenario, 'scenario' | 'folder' | 'manifests' | 'later'>): ConfigProblem[] {
  return [
    ...checkBelow(`${folder}/scenario.yaml`, 'stimulus', scenario.stimulus),
    ...manifests.flatMap((each) => checkBelow(`${folder}/manifests`, String(each.kind), each)),
    ...Object.entries(later).flatMap(([name, objects]) =>
      objects.flatMap((each) => checkBelow(`${folder}/later/${name}`, String(each.kind), each)),
    ),
  ];
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
  if (typeof amount === 'number' || (typeof amount === 'string' && QUANTITY.test(amount))) return [];
  const [, number, unit] = /^([\d.]+)\s*(.+)$/.exec(String(amount)) ?? [];
  const known = unit === undefined ? undefined : nearestName(unit, UNITS);
  const nearest = known === undefined ? undefined : `${number ?? ''}${known}`;
  return [configProblem(file, path, 'an amount such as 64Mi or 500m', JSON.stringify(amount), nearest)];
}
