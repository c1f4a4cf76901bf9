import { createHash } from 'node:crypto';
import { z } from 'zod';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/**
 * How an entry is kept in a registry: a manifest of OCI under the name of the entry, a configuration that says what the
 * entry is, and a blob for each piece of a file. Pieces that are only zeros are left out: holes stay holes.
 */

/** A longer file is cut, so that what was moved before a break is not moved again. */
export const PIECE_BYTES = 32 * 1024 * 1024;

/** A piece of random bytes becomes a little longer when it is packed. */
const MAX_PACKED_BYTES = PIECE_BYTES + 1024 * 1024;

const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

const CONFIG_TYPE = 'application/vnd.whodunit.entry.v1+json';
const PIECE_TYPE = 'application/vnd.whodunit.piece.v1+zstd';
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const pieceSchema = z
  .strictObject({
    at: z.int().nonnegative(),
    bytes: z.int().positive().max(PIECE_BYTES),
    digest: digestSchema,
    packedBytes: z.int().positive().max(MAX_PACKED_BYTES),
  })
  .readonly();

const fileSchema = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9][\w.+-]{0,199}$/),
    isProgram: z.boolean(),
    bytes: z.int().nonnegative(),
    pieces: z.array(pieceSchema).readonly(),
  })
  .refine(({ bytes, pieces }) => pieces.every((piece) => piece.at + piece.bytes <= bytes))
  .readonly();

const configSchema = z
  .strictObject({
    formatVersion: z.literal(FORMAT_VERSION),
    kind: z.string(),
    inputs: z.record(z.string(), z.string()),
    files: z.array(fileSchema).readonly(),
  })
  .refine(({ files }) => new Set(files.map(({ name }) => name)).size === files.length)
  .readonly();

const manifestSchema = z.looseObject({
  config: z.looseObject({
    mediaType: z.literal(CONFIG_TYPE),
    digest: digestSchema,
    size: z.int().positive().max(MAX_CONFIG_BYTES),
  }),
});

/** A piece of a file: where it is in the file, and the blob that it is packed in. */
export type RemotePiece = z.infer<typeof pieceSchema>;
export type RemoteFile = z.infer<typeof fileSchema>;
export type RemoteConfig = z.infer<typeof configSchema>;

/** `sha256:` and the digest of bytes. */
export function digestOfBytes(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Where a manifest says that the configuration is; undefined when it is not that of an entry. */
export function findConfigBlob(manifest: Buffer): { digest: string; size: number } | undefined {
  return manifestSchema.safeParse(tryParseJson(manifest.toString('utf8'))).data?.config;
}

/** Undefined when it is not one that this version writes. */
export function parseEntryConfig(content: Buffer): RemoteConfig | undefined {
  return configSchema.safeParse(tryParseJson(content.toString('utf8'))).data;
}

/** Renders the manifest of an entry. Blobs that are not named in a manifest may be removed by a registry. */
export function renderEntryManifest(config: Buffer, { kind, files }: RemoteConfig): Buffer {
  const layers = new Map<string, object>();
  for (const { name, pieces } of files) {
    for (const { at, digest, packedBytes } of pieces) {
      const annotations = { 'org.opencontainers.image.title': `${name}@${at}` };
      layers.set(digest, { mediaType: PIECE_TYPE, digest, size: packedBytes, annotations });
    }
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: CONFIG_TYPE,
    config: { mediaType: CONFIG_TYPE, digest: digestOfBytes(config), size: config.length },
    layers: [...layers.values()],
    annotations: { 'org.opencontainers.image.description': `an entry of whodunit's cache: ${kind}` },
  };
  return Buffer.from(JSON.stringify(manifest));
}
