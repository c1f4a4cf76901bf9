import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario, Scenario } from '../../model/declared/scenario.ts';
import { matchesSelector } from '../../model/declared/selector.ts';
import { listLater, listManifests, listPods, type PodTemplate } from './list-objects.ts';

/** One term of a selector: equality, and the syntax of labels (k8s.io/apimachinery, pkg/util/validation). */
const TERM = /^([a-zA-Z0-9.-]+\/)?[a-zA-Z0-9]([\w.-]*[a-zA-Z0-9])?=([a-zA-Z0-9]([\w.-]*[a-zA-Z0-9])?)?$/;

/** Labels that controllers add to the pods that they make, so that no manifest has them. */
const OF_CONTROLLERS =
  /^(job-name|controller-uid|pod-template-hash|controller-revision-hash)=|^([\w.]+\.)?kubernetes\.io\//;

/** Whether the victim is a static pod, which the first stimulus brings, or which only its node knows. */
export function isVictimStatic({ stimulus, victim }: Scenario): boolean {
  if (victim.onNode !== undefined) return true;
  const [first] = stimulus;
  return first?.kind === 'write-static-pod' && first.afterSeconds === undefined;
}

/**
 * Checks that the victim of a scenario is a container of some pod of its manifests. Manifests that are missing or wrong are
 * reported elsewhere.
 */
export function checkVictim(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario, folder } = loaded;
  const { namespace, selector, container } = scenario.victim;
  const problem = (field: string, expected: string, word: string, nearest?: string): ConfigProblem[] => [
    configProblem(`${folder}/scenario.yaml`, `victim.${field}`, expected, JSON.stringify(word), nearest),
  ];
  const terms = selector.split(',').map((term) => term.trim());
  if (!terms.every((term) => TERM.test(term)))
    return problem('selector', 'labels as <name>=<value>, joined by commas', selector);
  const objects = isVictimStatic(scenario) ? listLater(loaded) : listManifests(loaded);
  const pods = listPods(objects);
  const areKnown = objects.every(({ object }) => typeof object.kind === 'string');
  if (pods.length === 0 || !areKnown) return [];
  const here = pods.filter((pod) => pod.namespace === namespace);
  const spaces = pods.map((pod) => pod.namespace);
  if (here.length === 0)
    return problem('namespace', 'the namespace of some pod', namespace, nearestName(namespace, spaces));
  const wanted = terms.filter((term) => !OF_CONTROLLERS.test(term)).join(',');
  const matching = here.filter(({ labels }) => matchesSelector(wanted, labels));
  if (matching.length === 0) {
    const known = here.flatMap(({ labels }) =>
      Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    );
    const expected = `labels of a pod of the scenario (${[...new Set(known)].join(', ') || 'none has any'})`;
    return problem('selector', expected, selector, nearestName(selector, known));
  }
  const containers = matching.flatMap(namesOf);
  if (containers.includes(container) || containers.length === 0) return [];
  return problem(
    'container',
    `a container of the pod: ${containers.join(', ')}`,
    container,
    nearestName(container, containers),
  );
}

function namesOf({ containers }: PodTemplate): string[] {
  return containers.flatMap(({ name }) => name ?? []);
}
