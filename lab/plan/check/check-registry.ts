import type { ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { REGISTRY_HOST } from '../../model/declared/registry.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { listLater, listManifests, listPods } from './list-objects.ts';

/**
 * Checks what a schema cannot say about the registry of a scenario: each image has its own name, is pulled by somebody, and
 * within the time of the cell; and no container wants one that is not there.
 */
export function checkRegistry(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario, folder } = loaded;
  const declared = scenario.registry?.images ?? [];
  const names = declared.map(({ image }) => image);
  const file = `${folder}/scenario.yaml`;
  const containers = listPods([...listManifests(loaded), ...listLater(loaded)]).flatMap(
    ({ located, containers: own }) => own.map((container) => ({ ...container, file: located.file })),
  );
  const used = containers.flatMap(({ image }) => image ?? []);
  const scripts = JSON.stringify(scenario.stimulus);
  const ofImages = declared.flatMap(({ image, sizeMiB, kibPerSecond }, index): ConfigProblem[] => {
    const path = `registry.images.${index}`;
    const received = `"${image}"`;
    if (names.indexOf(image) < index)
      return [{ file, path: `${path}.image`, expected: 'a name of its own', received }];
    const problems: ConfigProblem[] = [];
    if (!used.includes(image) && !scripts.includes(image)) {
      const expected = 'an image of some container, or of a script';
      problems.push(withNearest({ file, path: `${path}.image`, expected, received }, image, used));
    }
    const seconds = (sizeMiB * 1024) / (kibPerSecond ?? Infinity);
    if (seconds >= scenario.timeoutSeconds)
      problems.push({
        file,
        path: `${path}.kibPerSecond`,
        expected: `a rate at which ${sizeMiB} MiB come within the ${scenario.timeoutSeconds} s of timeoutSeconds`,
        received: `${kibPerSecond ?? ''}, which takes ${Math.ceil(seconds)} s`,
      });
    return problems;
  });
  const ofContainers = containers.flatMap(
    ({ file: place, path, image, imagePullPolicy }): ConfigProblem[] => {
      if (image?.startsWith(`${REGISTRY_HOST}/`) !== true) return [];
      const at = { file: place, path: `${path}.image` };
      if (!names.includes(image))
        return [
          withNearest({ ...at, expected: 'an image of `registry`', received: `"${image}"` }, image, names),
        ];
      if (imagePullPolicy !== 'Never') return [];
      const received = `imagePullPolicy Never for ${image}`;
      const expected = 'a policy that pulls what only the registry has';
      return [{ file: place, path: `${path}.imagePullPolicy`, expected, received }];
    },
  );
  return [...ofImages, ...ofContainers];
}

function withNearest(problem: ConfigProblem, word: string, known: readonly string[]): ConfigProblem {
  const nearest = nearestName(word, known);
  return nearest === undefined ? problem : { ...problem, nearest };
}
