import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Image } from '../../lab/model/image.ts';

/** Everything that decides what is in an image; names are for people, values are versions or digests. */
export type ImageInputs = Readonly<Record<string, string>>;

/** `image.json` of a baked image. */
export const imageRecordSchema = z.strictObject({
  formatVersion: z.literal(1),
  digest: z.string(),
  inputs: z.record(z.string(), z.string()),
  hostKey: z.string(),
  versions: z.record(z.string(), z.string()),
  images: z.array(z.string()),
  /** Things a reader might trip over: an image tagged as kubeadm expects it, though its program has another version. */
  notes: z.array(z.string()),
  bakedAt: z.string(),
  bakeMs: z.number(),
});

export type ImageRecord = z.infer<typeof imageRecordSchema>;

/** sha256 (hex) over all inputs, independent of their order. */
export function digestInputs(inputs: ImageInputs): string {
  const sorted = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** The image in a folder, with absolute paths. */
export function describeImage(dir: string, record: ImageRecord): Image {
  return {
    digest: record.digest,
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

/** Reads the record of an image folder; undefined when it has none we understand. */
export function findImageRecord(dir: string): ImageRecord | undefined {
  const path = join(dir, 'image.json');
  if (!existsSync(path)) return undefined;
  const parsed = imageRecordSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  return parsed.success ? parsed.data : undefined;
}

/** What `explainMiss` looks through: records of one kind, each in its own folder. */
export interface RecordKind {
  /** What to call it: `image`. */
  readonly noun: string;
  readonly find: (dir: string) => { readonly inputs: ImageInputs } | undefined;
}

const IMAGE_KIND: RecordKind = { noun: 'image', find: findImageRecord };

/** Says in one line why there is nothing for these inputs, compared with the nearest one in the cache. */
export function explainMiss(folder: string, inputs: ImageInputs, kind: RecordKind = IMAGE_KIND): string {
  const nearest = findNearestInputs(folder, inputs, kind);
  return nearest === undefined
    ? `there is no ${kind.noun} in the cache`
    : compareInputs(nearest, inputs, kind.noun);
}

/** Names the inputs that differ between an earlier image and the wanted one. */
export function compareInputs(earlier: ImageInputs, wanted: ImageInputs, noun = 'image'): string {
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(wanted)])].sort();
  const changes = names
    .filter((name) => earlier[name] !== wanted[name])
    .map((name) => {
      if (earlier[name] === undefined) return `${name} is new`;
      if (wanted[name] === undefined) return `${name} is gone`;
      return `${name} was ${shorten(earlier[name])}, is ${shorten(wanted[name])}`;
    });
  return changes.length === 0 ? `the files of the ${noun} are incomplete` : changes.join('; ');
}

/** The inputs that differ least; of equals, those of the folder with the first name, so that the answer is stable. */
function findNearestInputs(folder: string, wanted: ImageInputs, kind: RecordKind): ImageInputs | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => kind.find(join(folder, name))?.inputs)
    .filter((inputs) => inputs !== undefined)
    .map((inputs) => ({ inputs, differences: countDifferences(inputs, wanted) }))
    .sort((a, b) => a.differences - b.differences)[0]?.inputs;
}

function countDifferences(a: ImageInputs, b: ImageInputs): number {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).length;
}

function shorten(value: string): string {
  return value.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, '$1');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // a record cut short is no record: the image is baked again
  }
}
