import { readFileSync } from 'node:fs';
import type { Artifact } from '../../lab/model/components.ts';
import { UsageError } from '../../lab/model/errors.ts';
import { buildImageTar } from './oci-tar.ts';

/** A container image as `ctr images import` reads it. */
export interface ImageArchive {
  /** Name that manifests give it. */
  readonly image: string;
  readonly content: Buffer;
}

/**
 * Packs the programs of components into an image, each in `/bin`. The same components give the same bytes.
 *
 * @throws UsageError for packages of the suite, which are in the base image or nowhere, and for two programs of one name.
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
  const programs = artifacts
    .flatMap(({ files }) => Object.entries(files))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const twice = programs.find(([name], index) => programs[index + 1]?.[0] === name);
  if (twice !== undefined)
    throw new UsageError(`two components have a program ${twice[0]} for ${image}`, {
      tryNext: 'put one of them into an image of its own',
    });
  const first = Object.keys(artifacts[0]?.files ?? {}).toSorted()[0] ?? '';
  const entries = programs.map(([name, path]) => ({
    kind: 'file' as const,
    path: `bin/${name}`,
    mode: 0o755,
    content: readFileSync(path),
  }));
  return { image, content: await buildImageTar(image, { command: [`/bin/${first}`] }, entries) };
}
