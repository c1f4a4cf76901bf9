import { basename, join } from 'node:path';
import { z } from 'zod';
import { listFolder, readJson } from '../../drivers/files/files.ts';
import { findModifiedAt, measureDiskBytes } from '../../drivers/files/folders.ts';
import type { CacheEntry, CacheKind } from '../../model/saved/cache.ts';
import type { Host } from '../../model/host/host.ts';
import { cachePaths, entryRecords } from '../../model/host/paths.ts';
import { findImageRecord } from '../../../provision/layers/image-record.ts';
import { findWorldUses, type WorldUse } from './world-uses.ts';

const componentSchema = z.looseObject({ component: z.string(), version: z.string() });

/** Components that Terraform needs as long as there is any world to remove. */
const TERRAFORM_COMPONENTS = new Set(['provider-libvirt', 'opentofu']);

/** Lists what is whole in the cache; unfinished work belongs to a running lab, or to `whodunit gc`. */
export function listCache(host: Pick<Host, 'cacheDir' | 'stateDir'>): CacheEntry[] {
  const folders = cachePaths(host.cacheDir);
  const uses = findWorldUses(host);
  return [
    ...visible(folders.components).map((path) => describeComponent(path, uses)),
    ...visible(folders.rootfs).map(describeTar),
    ...visible(folders.stores).map((path) => describe('store', path, { record: entryRecords.store })),
    ...visible(folders.images).map((path) => describeImage(path, uses)),
    ...visible(folders.toolchains).map((path) => describe('toolchain', path)),
    ...visible(folders.transfers).map((path) => describe('transfer', path)),
    ...visible(folders.providers).map((path) => describe('provider', path, { usedBy: labels(uses) })),
  ];
}

function visible(folder: string): string[] {
  return listFolder(folder)
    .filter((name) => !name.startsWith('.') && !/\.(?:tmp|tar\.json)$/.test(name))
    .map((name) => join(folder, name));
}

interface Known {
  readonly name?: string;
  readonly version?: string;
  readonly usedBy?: string[];
  /** File in the folder whose modification time is the time of the last use. */
  readonly record?: string;
}

function describe(kind: CacheKind, path: string, known: Known = {}): CacheEntry {
  const { name = basename(path), version = '', usedBy = [], record } = known;
  const recordAt = record === undefined ? undefined : findModifiedAt(join(path, record));
  const usedAt = recordAt ?? findModifiedAt(path) ?? 0;
  const lastUsedAt = new Date(usedAt).toISOString();
  return { kind, name, version, bytes: measureDiskBytes(path), lastUsedAt, usedBy, path };
}

function describeComponent(path: string, uses: readonly WorldUse[]): CacheEntry {
  if (path.endsWith('.log')) return describe('log', path);
  const { component, version } = findRecord(join(path, entryRecords.component)) ?? {};
  return describe('component', path, {
    ...(version === undefined ? {} : { version }),
    usedBy: TERRAFORM_COMPONENTS.has(component ?? '') ? labels(uses) : [],
    record: entryRecords.component,
  });
}

function describeTar(path: string): CacheEntry {
  if (path.endsWith('.log')) return describe('log', path);
  const name = basename(path, '.tar');
  return describe(name.startsWith('kernel-') ? 'kernel' : 'root file system', path, { name });
}

function describeImage(path: string, uses: readonly WorldUse[]): CacheEntry {
  const record = findImageRecord(path);
  const using = uses.filter(({ imageDir, possibleImages }) =>
    imageDir === undefined ? possibleImages.includes(path) : imageDir === path,
  );
  return describe('image', path, {
    ...(record === undefined
      ? {}
      : { version: `${record.inputs['suite'] ?? ''} Kubernetes ${record.inputs['kubernetes'] ?? ''}` }),
    usedBy: labels(using),
    record: entryRecords.image,
  });
}

function labels(uses: readonly WorldUse[]): string[] {
  return [...new Set(uses.map(({ label }) => label))].sort();
}

function findRecord(path: string): z.infer<typeof componentSchema> | undefined {
  return componentSchema.safeParse(readJson(path)).data;
}
