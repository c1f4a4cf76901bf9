import { InternalError } from '../../model/errors/errors.ts';
import type { Image } from '../../model/components/image.ts';
import {
  renderContainerdConfig,
  renderRunscConfig,
  RUNSC_CONFIG,
  type RunscSettings,
} from '../../../provision/guest/containerd-config.ts';
import type { CgroupDriver } from '../../model/axes/drivers.ts';
import type { NodeFile } from './node-files.ts';
import type { WorldRecipe } from './recipe.ts';

/** Where the step `20-runtime` takes containerd's configuration from: it restarts containerd only for another one. */
const WANTED_CONFIG = '/etc/containerd/whodunit.toml';

/** The files that configure containerd and its runtimes on one node, with that driver for the runc handler. */
export function runtimeFiles(
  recipe: Pick<WorldRecipe, 'runtime'>,
  image: Pick<Image, 'versions' | 'images'>,
  driver: CgroupDriver,
): NodeFile[] {
  const version = image.versions['containerd'];
  const pauseImage = image.images.find((name) => /\/pause:/.test(name));
  if (version === undefined || pauseImage === undefined)
    throw new InternalError('the image does not say which containerd or which pause image it has');
  const runsc = runscSettings(recipe);
  const config = renderContainerdConfig({
    version,
    pauseImage,
    systemdCgroup: driver === 'systemd',
    ...(runsc === undefined ? {} : { runsc }),
    crun: recipe.runtime.name === 'crun',
  });
  return [
    { path: WANTED_CONFIG, text: config },
    ...(runsc?.shim === 'runsc' ? [{ path: RUNSC_CONFIG, text: renderRunscConfig(runsc) }] : []),
  ];
}

function runscSettings({ runtime }: Pick<WorldRecipe, 'runtime'>): RunscSettings | undefined {
  if (runtime.name !== 'runsc') return undefined;
  // Debian packages gVisor without its shim.
  return { systemdCgroup: runtime.systemdCgroup, shim: runtime.version === 'apt' ? 'runc' : 'runsc' };
}
