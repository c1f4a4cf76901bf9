import { join, resolve } from 'node:path';
import { z } from 'zod';
import { findText, listFolder } from '../../drivers/files.ts';
import type { Host } from '../../model/host.ts';
import { cachePaths, statePaths } from '../../model/paths.ts';
import { listImageUsers } from '../../../provision/layers/image-users.ts';

/** A world that lies over an image of the cache. */
export interface WorldUse {
  /** Its name; of another state folder, with that folder. */
  readonly label: string;
  /** Undefined when its record cannot be read: then it may use any image its state folder ever asked for. */
  readonly imageDir: string | undefined;
  readonly possibleImages: readonly string[];
}

/** Only what is needed here, so that worlds of older versions count as well. */
const recordSchema = z.looseObject({ image: z.looseObject({ dir: z.string() }) });

/** Finds the worlds of this state folder, and of every other one that has ever taken an image from this cache. */
export function findWorldUses(host: Pick<Host, 'cacheDir' | 'stateDir'>): WorldUse[] {
  const { images } = cachePaths(host.cacheDir);
  const imagesOf = new Map<string, string[]>([[resolve(host.stateDir), []]]);
  for (const dir of listFolder(images).map((name) => join(images, name))) {
    for (const user of listImageUsers(dir)) imagesOf.set(user, [...(imagesOf.get(user) ?? []), dir]);
  }
  return [...imagesOf].flatMap(([stateDir, possibleImages]) =>
    listFolder(statePaths(stateDir).worlds).map((name) => ({
      label: stateDir === resolve(host.stateDir) ? name : `${name} (${stateDir})`,
      imageDir: findImageDir(statePaths(stateDir).world(name).record),
      possibleImages,
    })),
  );
}

function findImageDir(record: string): string | undefined {
  const text = findText(record);
  if (text === undefined) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(text)).data?.image.dir;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
