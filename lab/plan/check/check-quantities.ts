import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { get, listLater, listManifests } from './list-objects.ts';

/** Units of a quantity (k8s.io/apimachinery, pkg/api/resource/quantity.go). */
const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E'];
/** An amount as a text. */
export const QUANTITY = new RegExp(`^[+-]?(\\d+\\.?\\d*|\\.\\d+)(${UNITS.join('|')}|[eE][+-]?\\d+)?$`);

/** What a unit multiplies by. */
const FACTORS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit, index) => [unit, 1024 ** (index + 1)]),
  ),
  ...Object.fromEntries(
    ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((unit, index) => [unit, 1000 ** (index - 3)]),
  ),
};

/** Resources that are counted in bytes; pages of `hugepages-2Mi` as well. */
const IN_BYTES = ['memory', 'ephemeral-storage', 'storage'];
const KNOWN = ['cpu', ...IN_BYTES];
/** Fewer hold no process: what is meant is a unit that was left out. */
const LEAST_BYTES = 512 * 1024;
const LEAST_CPU = 0.001;
/** No machine has more. */
const MOST_CPUS = 10_000;

/**
 * Checks the amounts of resources of a scenario, with its parameters filled in. The API takes 64 millibytes (`64m`) and
 * 64 bytes for memory, and refuses unknown units and requests above limits, but only once a cluster is up.
 */
export function checkQuantities(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario, folder } = loaded;
  const objects = [...listManifests(loaded), ...listLater(loaded)];
  return [
    ...checkBelow({ file: `${folder}/scenario.yaml`, path: 'stimulus', isApart: true }, scenario.stimulus),
    ...objects.flatMap(({ file, path, object }) => checkBelow({ file, path, isApart: false }, object)),
  ];
}

interface Place {
  readonly file: string;
  readonly path: string;
  /** Whether no schema looks at its amounts. */
  readonly isApart: boolean;
}

function checkBelow(place: Place, value: unknown): ConfigProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const here = { ...place, path: `${place.path}.${key}` };
    if (key === 'sizeLimit') return checkAmount(here, 'storage', inner);
    if (key === 'resources') return checkResources(here, inner);
    return checkBelow(here, inner);
  });
}

/** Checks `{ limits, requests }` of a container or a claim. */
function checkResources(place: Place, resources: unknown): ConfigProblem[] {
  const [limits, requests] = [get(resources, 'limits'), get(resources, 'requests')];
  const below = (field: string, amounts: unknown): ConfigProblem[] =>
    typeof amounts !== 'object' || amounts === null
      ? []
      : Object.entries(amounts).flatMap(([name, amount]: [string, unknown]) =>
          checkAmount({ ...place, path: `${place.path}.${field}.${name}` }, name, amount),
        );
  const problems = [...below('limits', limits), ...below('requests', requests)];
  if (problems.length > 0 || typeof requests !== 'object' || requests === null) return problems;
  return Object.entries(requests).flatMap(([name, amount]: [string, unknown]) => {
    const limit = get(limits, name);
    if (limit === undefined || readQuantity(amount) <= readQuantity(limit)) return [];
    const expected = `at most its limit, ${JSON.stringify(limit)}`;
    return [configProblem(place.file, `${place.path}.requests.${name}`, expected, JSON.stringify(amount))];
  });
}

function checkAmount({ file, path, isApart }: Place, name: string, amount: unknown): ConfigProblem[] {
  const problem = (expected: string, received: string, nearest?: string): ConfigProblem[] => [
    configProblem(file, path, expected, received, nearest),
  ];
  const isKnown = KNOWN.includes(name) || name.startsWith('hugepages-') || name.includes('/');
  if (!isKnown) return problem(`one of ${KNOWN.join(', ')}`, JSON.stringify(name), nearestName(name, KNOWN));
  if (!isQuantity(amount)) {
    // The schema of its object says so as well.
    if (!isApart) return [];
    const { expected, received, nearest } = describeQuantity(amount);
    return problem(expected, received, nearest);
  }
  const expected = describeAmount(name, readQuantity(amount));
  return expected === undefined ? [] : problem(expected, JSON.stringify(amount), meantAmount(name, amount));
}

/** What an amount of a resource should have been; undefined when it may be. None at all may always be. */
export function describeAmount(name: string, amount: number): string | undefined {
  if (amount === 0) return undefined;
  if (name === 'cpu' && amount > MOST_CPUS) return 'CPUs, such as 2 or 500m: M means millions';
  if (name === 'cpu') return amount < LEAST_CPU ? 'at least 1m: a thousandth of a CPU' : undefined;
  const isInBytes = IN_BYTES.includes(name) || name.startsWith('hugepages-');
  if (!isInBytes) return Number.isInteger(amount) && amount > 0 ? undefined : 'a whole number';
  const page = /^hugepages-(.+)$/.exec(name)?.[1];
  if (page !== undefined && amount % readQuantity(page) !== 0) return `whole pages of ${page}`;
  return amount < LEAST_BYTES ? 'bytes with their unit, such as 64Mi: m means thousandths' : undefined;
}

/** `64m`, `64M` and 64 of memory are meant as 64Mi. */
function meantAmount(name: string, amount: unknown): string | undefined {
  if (name === 'cpu') return /^\d+M$/.test(String(amount)) ? String(amount).toLowerCase() : undefined;
  const [, number] = /^(\d+)m?$/.exec(String(amount)) ?? [];
  return number === undefined ? undefined : `${number}Mi`;
}

/** The number that a quantity means; it has to be one. */
export function readQuantity(amount: unknown): number {
  const [, number = '', unit = ''] = /^([+-]?[\d.]+)(\D.*)?$/.exec(String(amount)) ?? [];
  const factor = FACTORS[unit];
  return factor === undefined ? Number(amount) : Number(number) * factor;
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
