import { join, resolve } from 'node:path';
import { listFolder } from '../../drivers/files/files.ts';
import type { Host } from '../../model/host/host.ts';
import { cachePaths } from '../../model/host/paths.ts';
import { listImageUsers } from '../../../provision/layers/image-users.ts';
import { readWorldRecords } from '../world-record.ts';

/** A world that is over an image of the cache. */
export interface WorldUse {
  /** Its name; of another state folder, with that folder. */
  readonly label: string;
  /** Undefined when its record cannot be read: then it may use any image its state folder ever asked for. */
  readonly imageDir: string | undefined;
  readonly possibleImages: readonly string[];
}

/** Finds the worlds of this state folder, and of every other one that has ever taken an image from this cache. */
export function findWorldUses(host: Pick<Host, 'cacheDir' | 'stateDir'>): WorldUse[] {
  const { images } = cachePaths(host.cacheDir);
  const imagesOf = new Map<string, string[]>([[resolve(host.stateDir), []]]);
  for (const dir of listFolder(images).map((name) => join(images, name))) {
    for (const user of listImageUsers(dir)) imagesOf.set(user, [...(imagesOf.get(user) ?? []), dir]);
  }
  return [...imagesOf].flatMap(([stateDir, possibleImages]) =>
    readWorldRecords(stateDir).map(({ name, imageDir }) => ({
      label: stateDir === resolve(host.stateDir) ? name : `${name} (${stateDir})`,
      imageDir,
      possibleImages,
    })),
  );
}
