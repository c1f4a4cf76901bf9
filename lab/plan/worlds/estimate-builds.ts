import { readVariant, type Variant } from '../../model/axes/axes.ts';
import { getComponent, listSources, type Components } from '../../model/components/components.ts';
import { parseLocalBuild } from '../../model/components/local-build.ts';
import { catalogueName } from '../../model/components/under-test.ts';
import { COMPONENTS_AT_ONCE } from '../../model/limits/components-at-once.ts';
import { sum } from '../../model/text/sum.ts';
import type { Estimator } from './estimate.ts';
import { listNodeComponents } from './node-components.ts';

/**
 * Estimates how long it takes until all programs of a world are there, in seconds. What one world makes is there for the
 * next one: it is added to what is made.
 *
 * @param made `<component>-<version>` of the programs that are in the cache.
 */
export function estimateBuilds(
  catalogue: Components,
  variant: Variant,
  estimator: Pick<Estimator, 'step'>,
  made: Set<string>,
): { readonly seconds: number; readonly fromPast: boolean } {
  const missing = listNodeComponents(catalogue, readVariant(variant))
    .map(({ name, version }) => ({ name: catalogueName(name), version }))
    .filter(({ name, version }) => parseLocalBuild(version) === undefined && !made.has(`${name}-${version}`));
  const builds = missing.flatMap(({ name, version }) => {
    const sources = listSources(getComponent(catalogue, name), version).map(({ kind }) => kind);
    if (sources.length === 0 || sources.includes('apt')) return [];
    made.add(`${name}-${version}`);
    return [estimator.step({ kind: 'component', name, version, sources }, 'built')];
  });
  const seconds = builds.map((build) => build.seconds);
  return {
    seconds: Math.round(Math.max(0, sum(seconds) / COMPONENTS_AT_ONCE, ...seconds)),
    fromPast: builds.length > 0 && builds.every(({ fromPast }) => fromPast),
  };
}
