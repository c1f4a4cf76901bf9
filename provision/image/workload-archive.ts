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
 * Packs the programs of a component into an image, each in `/bin`. The same component gives the same bytes.
 *
 * @throws UsageError for packages of the suite, which are in the base image or nowhere.
 */
export async function buildWorkloadArchive(image: string, artifact: Artifact): Promise<ImageArchive> {
  const programs = Object.entries(artifact.files).sort(([a], [b]) => (a < b ? -1 : 1));
  const [first] = programs;
  if (first === undefined)
    throw new UsageError(`${artifact.component} ${artifact.version} has no program to put into ${image}`, {
      tryNext: 'name a version that is built or downloaded',
    });
  const entries = programs.map(([name, path]) => ({
    kind: 'file' as const,
    path: `bin/${name}`,
    mode: 0o755,
    content: readFileSync(path),
  }));
  return { image, content: await buildImageTar(image, { command: [`/bin/${first[0]}`] }, entries) };
}
