import { apiErrorStatus, apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import { valueOf } from '../../model/axes/axes.ts';
import { handlerOf } from '../../model/axes/runtime.ts';
import { ConfigError, HostError } from '../../model/errors/errors.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { withRuntimeClass } from '../settle/runtime-class.ts';
import type { OpenWorld } from '../world.ts';

type Manifest = LoadedScenario['manifests'][number];

/**
 * Puts pods under the RuntimeClass of workloads, where the variant runs these under another handler than the control plane:
 * those in the victim's namespace.
 */
export function underHandler(
  { record: { variant } }: Pick<OpenWorld, 'record'>,
  victimNamespace: string,
  object: Manifest,
): Manifest {
  const handler = handlerOf(valueOf(variant, 'runtime'));
  return handler === undefined ? object : withRuntimeClass(object, victimNamespace, handler);
}

/**
 * Creates objects of a scenario in the order given, pods under the handler of workloads.
 *
 * @param folder where they are written, for the message.
 * @throws ConfigError for the first object that the API refuses; HostError LAB_API when it does not
 * answer, or only that it cannot now.
 */
export async function createObjects(
  world: OpenWorld,
  folder: string,
  objects: LoadedScenario['manifests'],
  victimNamespace: string,
): Promise<void> {
  for (const object of objects) {
    try {
      await world.kubernetes.objects.create(underHandler(world, victimNamespace, object) as never);
    } catch (error) {
      const kind = String(object['kind']);
      if (!isRefusal(apiErrorStatus(error)))
        throw new HostError('LAB_API', `the API did not answer when a ${kind} was to be created`, {
          lastSeen: apiErrorText(error),
          tryNext: 'the node hangs, or the host is too busy: run only this cell again',
        });
      throw new ConfigError(
        [
          {
            file: folder,
            path: kind,
            expected: 'an object that the API accepts',
            received: apiErrorText(error),
          },
        ],
        { cause: error },
      );
    }
  }
}

/**
 * Whether the API has judged the object. A busy node answers 504 for its etcd, and 429 for too many requests: that says
 * nothing of the object.
 */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status !== 429 && status < 500;
}
