import type { LoadedScenario, Manifest } from './scenario.ts';
import { matchesSelector } from './selector.ts';

interface MetadataLike {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The bare pods of the manifests that are the victim; none when something else makes its pods. */
export function listBareVictims({
  scenario: { victim },
  manifests,
}: Pick<LoadedScenario, 'scenario' | 'manifests'>): Manifest[] {
  return manifests.filter((object) => {
    const { namespace = 'default', labels = {} } = (object['metadata'] ?? {}) as MetadataLike;
    const isNear = object['kind'] === 'Pod' && namespace === victim.namespace;
    return isNear && matchesSelector(victim.selector, labels);
  });
}
