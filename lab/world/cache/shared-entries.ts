import { basename, join } from 'node:path';
import { listFolder } from '../../drivers/files/files.ts';
import type { CacheKind } from '../../model/saved/cache.ts';
import type { Host } from '../../model/host/host.ts';
import { cachePaths } from '../../model/host/paths.ts';
import type { Inputs } from '../../model/components/inputs.ts';
import type { EntryKind } from '../../../provision/cache/entry-kind.ts';
import type { Sharing } from '../../../provision/cache/sharing.ts';
import { findComponentKind } from '../../../provision/components/component-record.ts';
import { imageKind } from '../../../provision/layers/image-kind.ts';
import { shareTar } from '../../../provision/layers/share-tar.ts';
import { tarKind } from '../../../provision/layers/tar.ts';

/** An entry of the cache that other hosts can use. */
export interface SharedEntry {
  readonly kind: CacheKind;
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly inputs: Inputs;
  readonly sharing: Sharing;
}

/**
 * Lists what of the cache other hosts can use and that says what it was made of: components, root file systems, kernels
 * and images. Stores are in images; toolchains are needed only where something is built.
 */
export function listSharedEntries({ cacheDir }: Pick<Host, 'cacheDir'>): SharedEntry[] {
  const { components, rootfs, images } = cachePaths(cacheDir);
  return [
    ...listIn(components).flatMap((path) => {
      const found = findComponentKind(cacheDir, path);
      return found === undefined ? [] : describe('component', path, found.kind, found.version);
    }),
    ...listIn(rootfs)
      .filter((path) => path.endsWith('.tar'))
      .flatMap((path) => {
        const isKernel = basename(path).startsWith('kernel-');
        const sharing = shareTar(isKernel ? 'kernel' : 'root-file-system');
        const kind = tarKind(cacheDir, {
          title: '',
          holds: () => true,
          nameOf: () => basename(path),
          sharing,
        });
        return describe(isKernel ? 'kernel' : 'root file system', path, kind, '');
      }),
    ...listIn(images).flatMap((path) => {
      const kind = imageKind(cacheDir);
      return describe('image', path, kind, kind.findInputs(path)?.['kubernetes'] ?? '');
    }),
  ];
}

function listIn(folder: string): string[] {
  return listFolder(folder)
    .filter((name) => !name.startsWith('.') && !/\.(?:tmp|log|json)$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** An entry that is damaged, or does not say what it was made of, is none. */
function describe<Entry>(
  called: CacheKind,
  path: string,
  kind: EntryKind<Entry>,
  version: string,
): SharedEntry[] {
  const inputs = kind.findInputs(path);
  if (inputs === undefined || kind.sharing === undefined || kind.find(path) === undefined) return [];
  // Two versions of the lab may give different names to what was made of the same inputs.
  if (kind.nameOf(inputs) !== basename(path)) return [];
  return [{ kind: called, name: basename(path, '.tar'), version, path, inputs, sharing: kind.sharing }];
}
