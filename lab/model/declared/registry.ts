import { z } from 'zod';

/**
 * The registry of a cell: images that nodes pull, as they do in the wild, instead of having them. The schema of
 * `registry` in `scenario.yaml`.
 */

/** Where it answers in every node. */
export const REGISTRY_PORT = 5000;

/** The host part of its images: containerd speaks plain HTTP to a loopback address, and to no other. */
export const REGISTRY_HOST = `127.0.0.1:${REGISTRY_PORT}`;

/** More takes an emulated node minutes, at 5 MB/s. */
const MAX_SIZE_MIB = 256;

/** https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests */
const NAME =
  /^127\.0\.0\.1:5000\/([a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*):(\w[\w.-]{0,127})$/;

const pulledImageSchema = z.strictObject({
  image: z
    .string()
    .regex(NAME, `a name such as ${REGISTRY_HOST}/slow:1`)
    .describe('Name that manifests give it.'),
  sizeMiB: z
    .number()
    .int()
    .min(1)
    .max(MAX_SIZE_MIB)
    .describe('Generated data in it, in MiB, which cannot be compressed; `/bin/sleeper` comes on top.'),
  kibPerSecond: z
    .number()
    .positive()
    .max(100_000_000)
    .optional()
    .describe('What all nodes together get of it, in KiB each second; left out: as fast as they can.'),
});

export const registrySchema = z
  .strictObject({ images: z.array(pulledImageSchema).min(1).describe('What it holds.') })
  .describe(
    `A registry that nodes reach as ${REGISTRY_HOST} while the cell runs; they have no other way out. Its images are pulled.`,
  );

/** A registry as a scenario declares it. */
type DeclaredRegistry = z.infer<typeof registrySchema>;

/** An image of it. */
export type PulledImage = DeclaredRegistry['images'][number];

/** Bytes that a registry keeps under their digest. */
export interface OciBlob {
  readonly content: Buffer;
  /** `sha256:<hex>` */
  readonly digest: string;
}

/** A container image as a registry holds it. */
export interface OciImage {
  readonly config: OciBlob;
  readonly layer: OciBlob;
  readonly manifest: Buffer;
  /** Media type of the manifest. */
  readonly mediaType: string;
}

/** Name and tag of an image within its registry. */
interface PulledName {
  readonly repository: string;
  readonly tag: string;
}

/**
 * Takes the name of an image apart: `127.0.0.1:5000/slow:1` is tag `1` of `slow`; undefined when it comes from
 * elsewhere.
 */
export function findPulledName(image: string): PulledName | undefined {
  const [, repository, tag] = NAME.exec(image) ?? [];
  return repository === undefined || tag === undefined ? undefined : { repository, tag };
}

/** Like `findPulledName`, of a name that the schema has let through. Throws TypeError for another one. */
export function parsePulledName(image: string): PulledName {
  const found = findPulledName(image);
  if (found === undefined) throw new TypeError(`no image of a registry: ${image}`);
  return found;
}
