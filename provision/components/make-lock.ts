import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameLocked, type Locked } from '../../lab/model/components/component-lock.ts';
import type { ComponentRef, Components } from '../../lab/model/components/components.ts';
import { ensureGo } from './go.ts';
import { findModule } from './gomod.ts';
import type { EntryInputs } from './inputs.ts';
import { isLocked, listLockNames, listReleases, readLocks } from './lock.ts';
import { fetchPublished } from './release.ts';
import type { ComponentHost } from './source.ts';

/** What a lock would have. */
export interface LockPlan {
  /** What the lock has now. */
  readonly kept: readonly Locked[];
  readonly added: readonly Locked[];
  /** Components that no source could be locked of, and why. */
  readonly lacking: readonly { readonly component: string; readonly version: string; readonly why: string }[];
}

/**
 * Finds the digests that the lock of the project lacks for some components: of every source that can be asked, so that a
 * host which reaches only one of them can use the lock too. Builds nothing and writes nothing.
 *
 * @throws UsageError for a component or version that the catalogue does not know; ConfigError for a lock that is wrong.
 */
export async function planLock(
  host: ComponentHost,
  components: Components,
  refs: readonly ComponentRef[],
): Promise<LockPlan> {
  const kept = readLocks(host);
  const known = new Set(kept.map(nameLocked));
  const added: Locked[] = [];
  const lacking: LockPlan['lacking'][number][] = [];
  const work = mkdtempSync(join(tmpdir(), 'whodunit-lock-'));
  try {
    for (const { component, version, sources } of listReleases(components, refs)) {
      const plans = sources.filter((inputs) => listLockNames(inputs).length > 0);
      const reasons: string[] = [];
      for (const inputs of plans) {
        if (isLocked(known, inputs)) continue;
        const found = await host.progress.step(`${component} ${version} from ${inputs.source.kind}`, () =>
          findDigests(host, inputs, work),
        );
        if (typeof found === 'string') reasons.push(`${inputs.source.kind}: ${found}`);
        else added.push(...found.filter((entry) => !known.has(nameLocked(entry))));
      }
      if (plans.length > 0 && reasons.length === plans.length)
        lacking.push({ component, version, why: reasons.join('; ') });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return { kept, added, lacking };
}

/** The digests of one source, or why it has none. */
async function findDigests(
  host: ComponentHost,
  { component, version, source }: EntryInputs,
  work: string,
): Promise<Locked[] | string> {
  if (source.kind === 'release') {
    const found: Locked[] = [];
    for (const download of source.downloads) {
      const published = await fetchPublished(host, download, join(work, 'checksum'));
      if (!published.ok) return published.unavailable;
      found.push({ component, version, source: 'release', url: download.url, digest: published.digest });
    }
    return found;
  }
  if (source.kind !== 'gomod') return 'it has no digest';
  const workFolder = mkdtempSync(join(work, 'module-'));
  const module = await findModule(
    {
      host,
      component,
      version,
      workFolder,
      title: `${component} ${version}`,
      logFile: join(workFolder, 'log'),
      getGo: () => ensureGo(host),
    },
    source,
  );
  return module.ok ? [module.locked] : module.unavailable;
}
