import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebianArchive } from '../../lab/model/components/component-schema.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { Inputs } from '../../lab/model/components/inputs.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { EXCLUDED_PATHS, INCLUDED_PATHS } from '../image/packages.ts';
import { shareTar } from './share-tar.ts';
import { ensureTar, tarKind } from './tar.ts';

/** What a layer's inputs are read from. */
type LayerHost = Pick<Host, 'projectDir' | 'cacheDir'>;

const HOOKS = ['prepare-initramfs.sh', 'collect-iptables.sh'] as const;

/**
 * Makes sure that the root file system of a suite is in the cache, as a tar, and returns its path. It is shared by
 * all images of the suite with the same packages.
 *
 * @throws CommandError when mmdebstrap fails.
 */
export function ensureRootFilesystem(
  host: Host,
  debian: DebianArchive,
  suite: string,
  packages: readonly string[],
): Promise<string> {
  const kind = rootFilesystemKind(host, suite, packages);
  return ensureTar(host, kind, rootFilesystemInputs(host, suite, packages), {
    suite,
    debian,
    variant: 'minbase',
    packages,
    excluded: EXCLUDED_PATHS,
    included: INCLUDED_PATHS,
    options: [`--essential-hook=${hookText(host, HOOKS[0])}`, `--customize-hook=${hookText(host, HOOKS[1])}`],
  });
}

/** Root file systems of a suite in the cache: `rootfs/<suite>-<key>.tar`. */
export function rootFilesystemKind(
  host: LayerHost,
  suite: string,
  packages: readonly string[],
): EntryKind<string> {
  return tarKind(host.cacheDir, {
    title: `root file system of ${suite}`,
    holds: (name) => name.startsWith(`${suite}-`) && /^-[0-9a-f]{12}\.tar$/.test(name.slice(suite.length)),
    nameOf: () => `${suite}-${rootFilesystemKey(host, suite, packages).slice(0, 12)}.tar`,
    sharing: shareTar('root-file-system'),
  });
}

/** What decides the content of a root file system, by names that a person understands. */
export function rootFilesystemInputs(host: LayerHost, suite: string, packages: readonly string[]): Inputs {
  const hooks = HOOKS.map((hook) => [
    `hook ${hook}`,
    createHash('sha256').update(hookText(host, hook)).digest('hex'),
  ]);
  return {
    suite,
    packages: packages.join(' '),
    'excluded paths': EXCLUDED_PATHS.join(' '),
    'included paths': INCLUDED_PATHS.join(' '),
    ...(Object.fromEntries(hooks) as Inputs),
  };
}

/** sha256 (hex) over what decides the content, apart from the archive's state on the day it is built. */
export function rootFilesystemKey(host: LayerHost, suite: string, packages: readonly string[]): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify({ suite, packages, excluded: EXCLUDED_PATHS, included: INCLUDED_PATHS }));
  for (const hook of HOOKS) hash.update(readFileSync(hookPath(host, hook)));
  return hash.digest('hex');
}

/** Hooks are passed as text: in a user namespace mmdebstrap may not see the project's folder. */
function hookText(host: LayerHost, name: string): string {
  return readFileSync(hookPath(host, name), 'utf8');
}

function hookPath(host: LayerHost, name: string): string {
  return join(host.projectDir, 'provision', 'image', name);
}
