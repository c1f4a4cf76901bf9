import type { ConfigProblem } from '../model/errors.ts';
import { nearestName } from '../model/nearest.ts';
import { REGISTRY_HOST } from '../model/registry.ts';
import type { LoadedScenario } from '../model/scenario.ts';

/**
 * Checks what a schema cannot say about the registry of a scenario: each image has its own name, is pulled by somebody, and
 * within the time of the cell; and no container wants one that is not there.
 */
export function checkRegistry(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario, folder, manifests, later } = loaded;
  const declared = scenario.registry?.images ?? [];
  const names = declared.map(({ image }) => image);
  const file = `${folder}/scenario.yaml`;
  const containers = listContainers([manifests, later]);
  const used = containers.map(({ image }) => image);
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
        ...{ file, path: `${path}.kibPerSecond` },
        expected: `a rate at which ${sizeMiB} MiB come within the ${scenario.timeoutSeconds} s of timeoutSeconds`,
        received: `${kibPerSecond ?? ''}, which takes ${Math.ceil(seconds)} s`,
      });
    return problems;
  });
  const ofContainers = containers.flatMap(({ name, image, imagePullPolicy }): ConfigProblem[] => {
    if (!image.startsWith(`${REGISTRY_HOST}/`)) return [];
    const at = { file: `${folder}/manifests`, path: name };
    if (!names.includes(image))
      return [
        withNearest({ ...at, expected: 'an image of `registry`', received: `"${image}"` }, image, names),
      ];
    if (imagePullPolicy !== 'Never') return [];
    const received = `imagePullPolicy Never for ${image}`;
    return [{ ...at, expected: 'a policy that pulls what only the registry has', received }];
  });
  return [...ofImages, ...ofContainers];
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy: unknown;
}

/** Whatever has an image, wherever it is nested (Pod, Deployment, CronJob, …). */
function listContainers(value: unknown): Container[] {
  if (typeof value !== 'object' || value === null) return [];
  const { name, image, imagePullPolicy } = value as Readonly<Record<string, unknown>>;
  return [
    ...(typeof image === 'string' ? [{ name: String(name), image, imagePullPolicy }] : []),
    ...Object.values(value).flatMap(listContainers),
  ];
}

function withNearest(problem: ConfigProblem, word: string, known: readonly string[]): ConfigProblem {
  const nearest = nearestName(word, known);
  return nearest === undefined ? problem : { ...problem, nearest };
}
