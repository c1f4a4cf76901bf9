import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from '../../lab/model/components/image.ts';
import { digestInputs } from '../../lab/model/components/inputs.ts';
import { cachePaths, entryRecords } from '../../lab/model/host/paths.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { findImageRecord } from './image-record.ts';
import { shareImage } from './share-image.ts';

/** Every file of a whole image except its record. */
const IMAGE_FILES = ['base.raw', 'vmlinuz', 'initrd.img', 'id_ed25519'] as const;

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
    sharing: shareImage,
  };
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
