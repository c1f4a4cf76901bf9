import { apiErrorText } from '../drivers/kubernetes.ts';
import { ConfigError } from '../model/errors.ts';
import { parseRuntime } from '../model/runtime.ts';
import type { LoadedScenario } from '../model/scenario.ts';
import { RUNSC_HANDLER } from '../../provision/guest/containerd-config.ts';
import { withRuntimeClass } from './runtime-class.ts';
import type { World } from './world.ts';

/**
 * Creates objects of a scenario in the order given. Where the variant runs workloads under gVisor, pods in the victim's
 * namespace get its RuntimeClass.
 *
 * @param folder where they are written, for the message.
 * @throws ConfigError for the first object that the API refuses.
 */
export async function createObjects(
  world: World,
  folder: string,
  objects: LoadedScenario['manifests'],
  victimNamespace: string,
): Promise<void> {
  const sandboxed = parseRuntime(world.record.variant.runtime).name === 'runsc';
  for (const object of objects) {
    const created = sandboxed ? withRuntimeClass(object, victimNamespace, RUNSC_HANDLER) : object;
    try {
      await world.kubernetes.objects.create(created as never);
    } catch (error) {
      throw new ConfigError(
        [
          {
            file: folder,
            path: `${String(object['kind'])}`,
            expected: 'an object that the API accepts',
            received: apiErrorText(error),
          },
        ],
        { cause: error },
      );
    }
  }
}
