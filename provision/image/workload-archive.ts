import { readFileSync } from 'node:fs';
import { ROOT_ARCHIVE, type Artifact } from '../../lab/model/components/components.ts';
import { UsageError } from '../../lab/model/errors/errors.ts';
import { buildImageTar, type LayerEntry } from './oci-tar.ts';

/** A container image as `ctr images import` reads it. */
export interface ImageArchive {
  /** Name that manifests give it. */
  readonly image: string;
  readonly content: Buffer;
}

/**
 * Packs the programs of components into an image, each in `/bin`; above the packages of a `rootfs` in
 * `/usr/local/bin`, where Debian puts nothing. The same components give the same bytes.
 *
 * @throws UsageError for packages of the suite, which are in the base image or nowhere, for two programs of one name,
 *   and for two root file systems.
 */
export async function buildWorkloadArchive(
  image: string,
  artifacts: readonly Artifact[],
): Promise<ImageArchive> {
  const none = artifacts.find(({ files }) => Object.keys(files).length === 0);
  if (none !== undefined)
    throw new UsageError(`${none.component} ${none.version} has no program to put into ${image}`, {
      tryNext: 'name a version that is built or downloaded',
    });
  const files = artifacts
    .flatMap((artifact) => Object.entries(artifact.files))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const twice = files.find(([name], index) => files[index + 1]?.[0] === name);
  if (twice !== undefined)
    throw new UsageError(`two components have a program ${twice[0]} for ${image}`, {
      tryNext: 'put one of them into an image of its own',
    });
  const root = files.find(([name]) => name === ROOT_ARCHIVE);
  const folder = root === undefined ? 'bin' : 'usr/local/bin';
  const programs = files.filter((file) => file !== root);
  const entries = programs.map(([name, path]): LayerEntry => ({
    kind: 'file',
    path: `${folder}/${name}`,
    mode: 0o755,
    content: readFileSync(path),
  }));
  const first = Object.keys(artifacts[0]?.files ?? {}).toSorted()[0] ?? '';
  const config = first === ROOT_ARCHIVE ? {} : { command: [`/${folder}/${first}`] };
  const below = root === undefined ? [] : [readFileSync(root[1])];
  return { image, content: await buildImageTar(image, config, entries, below) };
}
