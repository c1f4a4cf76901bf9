import { parse, stringify, type TomlTable } from 'smol-toml';
import { InternalError } from '../../model/errors/errors.ts';
import type { KnobBundle } from '../../model/declared/matrix.ts';
import type { Image } from '../../model/components/image.ts';
import {
  renderContainerdConfig,
  renderRunscConfig,
  RUNSC_CONFIG,
  type RuncLikeHandler,
  type RunscSettings,
} from '../../../provision/guest/containerd-config.ts';
import type { CgroupDriver } from '../../model/axes/drivers.ts';
import { handlerOf } from '../../model/axes/runtime.ts';
import { RUNC_UNDER_TEST, RUNC_UNDER_TEST_PATH } from '../../model/components/under-test.ts';
import type { NodeFile } from './node-files.ts';
import type { WorldRecipe } from './recipe.ts';

/** Where the step `20-runtime` takes containerd's configuration from: it restarts containerd only for another one. */
const WANTED_CONFIG = '/etc/containerd/whodunit.toml';

/** The files that configure containerd and its runtimes on one node, with that driver for the runc handler. */
export function runtimeFiles(
  recipe: Pick<WorldRecipe, 'runtime' | 'knobs'>,
  image: Pick<Image, 'versions' | 'images'>,
  driver: CgroupDriver,
): NodeFile[] {
  const version = image.versions['containerd'];
  const pauseImage = image.images.find((name) => /\/pause:/.test(name));
  if (version === undefined || pauseImage === undefined)
    throw new InternalError('the image does not say which containerd or which pause image it has');
  const runsc = runscSettings(recipe);
  const beside = besideRunc(recipe);
  const config = renderContainerdConfig({
    version,
    pauseImage,
    systemdCgroup: driver === 'systemd',
    ...(runsc === undefined ? {} : { runsc }),
    ...(beside === undefined ? {} : { beside }),
  });
  return [
    { path: WANTED_CONFIG, text: mergeConfig(config, recipe.knobs.containerd) },
    ...(runsc?.shim === 'runsc' ? [{ path: RUNSC_CONFIG, text: renderRunscConfig(runsc) }] : []),
  ];
}

/** Merges what a knob sets into a configuration; without a knob it stays as it is written. */
function mergeConfig(config: string, more: KnobBundle['containerd']): string {
  return more === undefined ? config : `${stringify(mergeTables(parse(config), more))}\n`;
}

type Table = Readonly<Record<string, unknown>>;

/** Tables are merged; any other value replaces what was there. */
function mergeTables(base: Table, more: Table): TomlTable {
  const merged = Object.entries(more).map(([name, value]) => {
    const known = base[name];
    return [name, isTable(known) && isTable(value) ? mergeTables(known, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(merged) } as TomlTable;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Where the programs are that the shim of runc starts in the place of runc. */
const RUNC_LIKE = {
  crun: '/usr/bin/crun',
  youki: '/usr/local/bin/youki',
  [RUNC_UNDER_TEST]: RUNC_UNDER_TEST_PATH,
} as const;

/** The handler of workloads, where it is one of containerd's runc shim with another program. */
export function besideRunc({ runtime }: Pick<WorldRecipe, 'runtime'>): RuncLikeHandler | undefined {
  const name = handlerOf(runtime);
  return name === undefined || name === 'runsc' ? undefined : { name, program: RUNC_LIKE[name] };
}

function runscSettings({ runtime }: Pick<WorldRecipe, 'runtime'>): RunscSettings | undefined {
  if (runtime.name !== 'runsc') return undefined;
  // Debian packages gVisor without its shim.
  return { systemdCgroup: runtime.systemdCgroup, shim: runtime.version === 'apt' ? 'runc' : 'runsc' };
}
