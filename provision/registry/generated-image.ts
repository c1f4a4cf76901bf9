import { createHash } from 'node:crypto';
import type { OciBlob, OciImage } from '../../lab/model/declared/registry.ts';
import { buildLayer } from '../image/oci-tar.ts';

const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
/** Not compressed: unpacking costs an emulated node time, and its data cannot be made smaller. */
const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar';

/**
 * Builds an image of one layer: a program in `/bin`, which is its command, and `/data` of so many MiB that cannot be
 * compressed. The same name and program give the same bytes. Two images share no layer, which a node would pull only once.
 *
 * Format: https://github.com/opencontainers/image-spec/blob/v1.1.1/manifest.md
 */
export async function buildGeneratedImage(
  name: string,
  sizeMiB: number,
  program: { readonly name: string; readonly content: Buffer },
): Promise<OciImage> {
  const data = createHash('shake256', { outputLength: sizeMiB * 1024 * 1024 })
    .update(name)
    .digest();
  const layer = toBlob(
    await buildLayer([
      { kind: 'file', path: `bin/${program.name}`, mode: 0o755, content: program.content },
      { kind: 'file', path: 'data', mode: 0o644, content: data },
    ]),
  );
  const config = toBlob(
    toJson({
      architecture: 'amd64',
      os: 'linux',
      config: { Cmd: [`/bin/${program.name}`] },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
  );
  const describe = ({ content, digest }: OciBlob, mediaType: string) => ({
    mediaType,
    digest,
    size: content.length,
  });
  const manifest = toJson({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: describe(config, CONFIG_TYPE),
    layers: [describe(layer, LAYER_TYPE)],
  });
  return { config, layer, manifest, mediaType: MANIFEST_TYPE };
}

function toBlob(content: Buffer): OciBlob {
  return { content, digest: `sha256:${createHash('sha256').update(content).digest('hex')}` };
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
