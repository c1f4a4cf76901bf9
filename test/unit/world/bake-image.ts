import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image, ImageSpec } from '../../../lab/model/components/image.ts';
import { entryPath } from '../../../provision/cache/entry-kind.ts';
import { imageKind } from '../../../provision/layers/image-kind.ts';
import { writeImageRecord } from '../../../provision/layers/image-record.ts';
import { collectImageInputs, findImage } from '../../../provision/layers/image.ts';

/** Puts the image of a spec into the cache of a host. */
export function bakeImage(host: Parameters<typeof findImage>[0], spec: ImageSpec): Image {
  const inputs = collectImageInputs(host, spec);
  const dir = entryPath(imageKind(host.cacheDir), inputs);
  mkdirSync(dir, { recursive: true });
  for (const file of ['base.raw', 'vmlinuz', 'initrd.img', 'id_ed25519']) writeFileSync(join(dir, file), '');
  writeImageRecord(dir, {
    formatVersion: 1,
    digest: 'd',
    inputs,
    hostKey: '',
    versions: { containerd: '1.6.20' },
    images: ['registry.k8s.io/pause:3.10'],
    notes: [],
    bakedAt: '',
    bakeMs: 0,
  });
  return findImage(host, spec)!;
}
