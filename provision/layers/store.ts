import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Host } from '../../lab/model/host/host.ts';
import type { ImageSpec } from '../../lab/model/components/image.ts';
import { digestInputs, type Inputs } from '../../lab/model/components/inputs.ts';
import { cachePaths, entryRecords } from '../../lab/model/host/paths.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { ensureEntry } from '../cache/entry.ts';
import { readRecord } from '../cache/read-record.ts';
import { digestFiles } from '../components/digest.ts';
import type { Store } from '../image/bake.ts';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';

/** Components whose programs are in container images; a change of any other one leaves the store as it is. */
const PRELOADED_COMPONENTS = new Set(['kubernetes', 'etcd', 'coredns', 'workloads']);

/** Files of `provision/image` that decide what is in a store. */
const RECIPE_FILES = ['preload.sh', 'container-images.ts', 'oci-tar.ts', 'iptables-layer.ts'] as const;

/** Folder in an entry: the content of the guest's /var/lib/containerd. */
const CONTENT = 'content';

const storeRecordSchema = z.strictObject({
  formatVersion: z.literal(1),
  digest: z.string(),
  inputs: z.record(z.string(), z.string()),
  /** Names of the container images. */
  images: z.array(z.string()),
});

/** `store.json`: what containerd's store in the folder next to it was made of. */
type StoreRecord = z.infer<typeof storeRecordSchema>;

/**
 * Every input of a store by a name that a person understands. containerd itself is one: it fills the store in the
 * format of its version.
 */
export function collectStoreInputs(
  host: Pick<Host, 'projectDir'>,
  spec: ImageSpec,
  rootfsKey: string,
): Inputs {
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

/** Stores in the cache: `stores/<key>/`. */
export function storeKind(cacheDir: string): EntryKind<Store> {
  return {
    title: 'store',
    folder: cachePaths(cacheDir).stores,
    holds: (name) => /^[0-9a-f]{12}$/.test(name),
    nameOf: (inputs) => digestInputs(inputs).slice(0, 12),
    find: (folder) => {
      const content = join(folder, CONTENT);
      const record = findRecord(folder);
      return record === undefined || !existsSync(content) ? undefined : { content, images: record.images };
    },
    findInputs: (folder) => findRecord(folder)?.inputs,
    usedFile: (folder) => join(folder, entryRecords.store),
  };
}

/** Moves a filled store into the cache. When another lab was faster, its store stays. */
export async function keepStore(
  host: Host,
  inputs: Inputs,
  filled: string,
  images: readonly string[],
): Promise<void> {
  const record: StoreRecord = {
    formatVersion: FORMAT_VERSION,
    digest: digestInputs(inputs),
    inputs: { ...inputs },
    images: [...images],
  };
  await ensureEntry(host, {
    kind: storeKind(host.cacheDir),
    inputs,
    make: async ({ out }) => {
      mkdirSync(out);
      renameSync(filled, join(out, CONTENT));
      writeFileSync(join(out, entryRecords.store), `${JSON.stringify(record, null, 2)}\n`);
    },
  });
}

function findRecord(folder: string): StoreRecord | undefined {
  return storeRecordSchema.safeParse(readRecord(join(folder, entryRecords.store))).data;
}
