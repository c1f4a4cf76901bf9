import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Image } from '../../lab/model/components/image.ts';
import { digestInputs } from '../../lab/model/components/inputs.ts';
import { cachePaths, entryRecords } from '../../lab/model/host/paths.ts';
import type { EntryKind } from '../cache/entry.ts';
import { readRecord } from '../cache/read-record.ts';

/** Every file of a whole image except its record. */
const IMAGE_FILES = ['base.raw', 'vmlinuz', 'initrd.img', 'id_ed25519'] as const;

/** `image.json` of a baked image. */
const imageRecordSchema = z.strictObject({
  formatVersion: z.literal(1),
  digest: z.string(),
  inputs: z.record(z.string(), z.string()),
  hostKey: z.string(),
  versions: z.record(z.string(), z.string()),
  images: z.array(z.string()),
  /**
   * Surprises for a reader: an image that is tagged as kubeadm expects it although its program has another version.
   */
  notes: z.array(z.string()),
  bakedAt: z.string(),
  bakeMs: z.number(),
});

export type ImageRecord = z.infer<typeof imageRecordSchema>;

/** Images in the cache: `images/<first 12 digits of the digest>/`. */
export function imageKind(cacheDir: string): EntryKind<Image> {
  return {
    title: 'image',
    folder: cachePaths(cacheDir).images,
    holds: (name) => /^[0-9a-f]{12}$/.test(name),
    nameOf: (inputs) => digestInputs(inputs).slice(0, 12),
    find: findImage,
    findInputs: (dir) => findImageRecord(dir)?.inputs,
    usedFile: (dir) => join(dir, entryRecords.image),
  };
}

/** Reads the record of an image folder; undefined when it has none we understand. */
export function findImageRecord(dir: string): ImageRecord | undefined {
  return imageRecordSchema.safeParse(readRecord(join(dir, entryRecords.image))).data;
}

/** Writes the record of an image into its folder. */
export function writeImageRecord(dir: string, record: ImageRecord): void {
  writeFileSync(join(dir, entryRecords.image), `${JSON.stringify(record, null, 2)}\n`);
}

/** The whole image in a folder, with absolute paths. */
function findImage(dir: string): Image | undefined {
  const record = findImageRecord(dir);
  if (record === undefined || !IMAGE_FILES.every((name) => existsSync(join(dir, name)))) return undefined;
  return {
    digest: record.digest,
    inputs: record.inputs,
    dir,
    base: join(dir, 'base.raw'),
    kernel: join(dir, 'vmlinuz'),
    initrd: join(dir, 'initrd.img'),
    sshKey: join(dir, 'id_ed25519'),
    hostKey: record.hostKey,
    versions: record.versions,
    images: record.images,
  };
}
