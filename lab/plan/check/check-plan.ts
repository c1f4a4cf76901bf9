import { valueOf, type Variant } from '../../model/axes/axes.ts';
import type { ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { checkKnobs } from './check-knobs.ts';
import { checkSchemas } from './check-objects.ts';
import type { FindApi } from './kubernetes-api.ts';

/** What is going to run: scenarios on variants. */
interface Chosen {
  readonly variant: Variant;
  readonly loaded: LoadedScenario;
}

/**
 * Checks the objects of the chosen cells, and the settings of their kubelets, against the Kubernetes release that each
 * cell runs. A release whose definitions are not known checks nothing.
 */
export function checkPlan(matrix: Matrix, cells: readonly Chosen[], findApi: FindApi): ConfigProblem[] {
  const seen = new Map<string, Set<unknown>>();
  const problems = cells.flatMap(({ variant, loaded }) => {
    const release = minorOf(variant);
    const knobs = valueOf(variant, 'knobs');
    const known = seen.get(release) ?? new Set<unknown>();
    seen.set(release, known);
    const isNew = (thing: unknown): boolean => !known.has(thing) && known.add(thing).has(thing);
    const [newScenario, newKnobs] = [isNew(loaded), isNew(knobs)];
    const api = newScenario || newKnobs ? findApi(release) : undefined;
    if (api === undefined) return [];
    return [
      ...(newScenario ? checkSchemas(loaded, api) : []),
      ...(newKnobs ? checkKnobs(matrix, knobs, api) : []),
    ];
  });
  // Other values of a parameter have the same problem in the same place.
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Checks the settings of the kubelets of one variant against the Kubernetes release that it has. */
export function checkVariant(matrix: Matrix, variant: Variant, findApi: FindApi): ConfigProblem[] {
  const api = findApi(minorOf(variant));
  return api === undefined ? [] : checkKnobs(matrix, valueOf(variant, 'knobs'), api);
}

/** The minor release of a variant: `1.34` of 1.34.2. */
function minorOf(variant: Variant): string {
  return valueOf(variant, 'kubernetes').release.split('.').slice(0, 2).join('.');
}
