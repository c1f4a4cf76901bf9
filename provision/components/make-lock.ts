import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameLocked, type Locked } from '../../lab/model/component-lock.ts';
import {
  getComponent,
  listSources,
  resolveVersion,
  type ComponentRef,
  type Components,
} from '../../lab/model/components.ts';
import { parseLocalBuild } from '../../lab/model/local-build.ts';
import { ensureGo } from './go.ts';
import { findModule } from './gomod.ts';
import { planInputs, type EntryInputs } from './inputs.ts';
import { listLockNames, readProjectLock } from './lock.ts';
import { fetchPublished } from './release.ts';
import type { ComponentHost } from './source.ts';

/** What a lock would have. */
export interface LockPlan {
  /** What it has now. */
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
  const kept = readProjectLock(host.projectDir);
  const known = new Set(kept.map(nameLocked));
  const added: Locked[] = [];
  const lacking: LockPlan['lacking'][number][] = [];
  const work = mkdtempSync(join(tmpdir(), 'whodunit-lock-'));
  try {
    for (const { component, version } of listReleases(components, refs)) {
      const plans = listSources(getComponent(components, component), version)
        .map((source) => planInputs(component, version, source))
        .filter((inputs) => listLockNames(inputs).length > 0);
      const reasons: string[] = [];
      for (const inputs of plans) {
        if (listLockNames(inputs).every((name) => known.has(name))) continue;
        const found = await host.progress.step(`${component} ${version} from ${inputs.source.kind}`, () =>
          findDigests(host, inputs, work),
        );
        if (typeof found === 'string') reasons.push(`${inputs.source.kind}: ${found}`);
        else added.push(...found.filter((each) => !known.has(nameLocked(each))));
      }
      if (plans.length > 0 && reasons.length === plans.length)
        lacking.push({ component, version, why: reasons.join('; ') });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return { kept, added, lacking };
}

/** The releases that some components are of, once each; of a local build, the one that it goes with. */
function listReleases(
  components: Components,
  refs: readonly ComponentRef[],
): { component: string; version: string }[] {
  const releases = refs.flatMap(({ name, version }) => {
    const exact = resolveVersion(components, name, version);
    const build = parseLocalBuild(exact);
    const release = build === undefined ? exact : build.release;
    return release === undefined ? [] : [{ component: name, version: release }];
  });
  return [...new Map(releases.map((each) => [`${each.component} ${each.version}`, each])).values()];
}

/** The digests of one source, or why it has none. */
async function findDigests(
  host: ComponentHost,
  { component, version, source }: EntryInputs,
  work: string,
): Promise<Locked[] | string> {
  if (source.kind === 'release') {
    const found: Locked[] = [];
    for (const each of source.downloads) {
      const published = await fetchPublished(host, each, join(work, 'checksum'));
      if (!published.ok) return published.unavailable;
      found.push({ component, version, source: 'release', url: each.url, digest: published.digest });
    }
    return found;
  }
  if (source.kind !== 'gomod') return 'it has no digest';
  const workFolder = mkdtempSync(join(work, 'module-'));
  const module = await findModule(
    {
      ...{ host, component, version, workFolder },
      title: `${component} ${version}`,
      logFile: join(workFolder, 'log'),
      getGo: () => ensureGo(host),
    },
    source,
  );
  return module.ok ? [module.locked] : module.unavailable;
}
