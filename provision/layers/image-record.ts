import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { entryRecords } from '../../lab/model/host/paths.ts';
import { readRecord } from '../cache/read-record.ts';

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

type ImageRecord = z.infer<typeof imageRecordSchema>;

/** Reads the record of an image folder; undefined when it has none we understand. */
export function findImageRecord(dir: string): ImageRecord | undefined {
  return imageRecordSchema.safeParse(readRecord(join(dir, entryRecords.image))).data;
}

/** Writes the record of an image into its folder. */
export function writeImageRecord(dir: string, record: ImageRecord): void {
  writeFileSync(join(dir, entryRecords.image), `${JSON.stringify(record, null, 2)}\n`);
}
