import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Host } from '../../lab/model/host.ts';
import type { ImageSpec } from '../../lab/model/image.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { digestFiles } from '../components/digest.ts';
import { digestInputs, type ImageInputs } from './image-record.ts';

/** Components whose programs are in container images; a change of any other one leaves the store as it is. */
const PRELOADED_COMPONENTS = new Set(['kubernetes', 'etcd', 'coredns', 'workloads']);

/** Files of this folder that decide what is in a store. */
const RECIPE_FILES = ['preload.sh', 'container-images.ts', 'oci-tar.ts', 'iptables-layer.ts'] as const;

const storeRecordSchema = z.strictObject({
  formatVersion: z.literal(1),
  digest: z.string(),
  inputs: z.record(z.string(), z.string()),
  /** Names of the container images. */
  images: z.array(z.string()),
});

/** `store.json`: what containerd's store in the folder beside it was made of. */
export type StoreRecord = z.infer<typeof storeRecordSchema>;

/** A filled store in the cache. */
export interface Store {
  /** The content of the guest's /var/lib/containerd; read, never written. */
  readonly content: string;
  readonly images: readonly string[];
}

/**
 * Every input of a store by a name that a person understands. containerd itself is one: it fills the store in the
 * format of its version.
 */
export function collectStoreInputs(host: Host, spec: ImageSpec, rootfsKey: string): ImageInputs {
  const recipe = RECIPE_FILES.map((name): [string, string] => {
    return [name, readFileSync(join(host.projectDir, 'provision', 'image', name), 'utf8')];
  });
  const inputs: Record<string, string> = {
    'root file system recipe': rootfsKey,
    'preload recipe': digestFiles(Object.fromEntries(recipe)),
  };
  for (const artifact of spec.artifacts) {
    if (PRELOADED_COMPONENTS.has(artifact.component) || artifact.component === 'containerd') {
      inputs[`component ${artifact.component}`] = `${artifact.version} ${artifact.digest}`;
    }
  }
  return inputs;
}

/** Where the store of these inputs lies in the cache, or will. */
export function storeFolder(host: Host, inputs: ImageInputs): string {
  return join(cachePaths(host.cacheDir).stores, digestInputs(inputs).slice(0, 12));
}

/** Finds a whole store; undefined when there is none. */
export function findStore(folder: string): Store | undefined {
  const record = findStoreRecord(folder);
  if (record === undefined) return undefined;
  return { content: join(folder, 'content'), images: record.images };
}

/** Notes that a store is used now; `lab cache prune` removes the least recently used first. */
export function markStoreUsed(folder: string, nowMs: number): void {
  utimesSync(join(folder, 'store.json'), new Date(nowMs), new Date(nowMs));
}

/** Reads the record of a store folder; undefined when it has none that we understand. */
export function findStoreRecord(folder: string): StoreRecord | undefined {
  const path = join(folder, 'store.json');
  if (!existsSync(path) || !existsSync(join(folder, 'content'))) return undefined;
  try {
    return storeRecordSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // cut short by a full disk: it is made again
    throw error;
  }
}

/** Renames a filled store into the cache; when another lab was first, its store stays and ours is dropped. */
export function keepStore(host: Host, inputs: ImageInputs, filled: string, images: readonly string[]): void {
  const folder = storeFolder(host, inputs);
  if (findStore(folder) !== undefined) return;
  const temporary = `${filled}-kept`;
  mkdirSync(temporary);
  renameSync(filled, join(temporary, 'content'));
  const record: StoreRecord = {
    formatVersion: 1,
    digest: digestInputs(inputs),
    inputs: { ...inputs },
    images: [...images],
  };
  writeFileSync(join(temporary, 'store.json'), `${JSON.stringify(record, null, 2)}\n`);
  mkdirSync(cachePaths(host.cacheDir).stores, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(temporary, folder);
}
