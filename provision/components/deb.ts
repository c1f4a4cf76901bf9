import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Artifact, ComponentSourceOf } from '../../lab/model/components/components.ts';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { BuildContext, SourceResult } from './source.ts';

/** apt-get and apt-cache end with it when there is no such package, and when it does not come. */
const APT_FAILED = 100;

/**
 * Takes programs out of a package of the host's apt, which verifies it.
 *
 * @returns not available when apt has another release of it, or none, or it cannot be downloaded.
 * @throws HostError when the package does not have a program.
 */
export async function unpackPackage(
  context: BuildContext,
  source: ComponentSourceOf<'deb'>,
): Promise<SourceResult> {
  const { host, version, workFolder, outFolder, logFile } = context;
  const options = { cwd: workFolder, signal: host.signal, logFile, okStatus: [0, APT_FAILED] };
  const shown = await host.run('apt-cache', ['show', '--no-all-versions', source.package], options);
  const found = /^Version: (.*)$/m.exec(shown.stdout)?.[1];
  if (found === undefined)
    return { ok: false, unavailable: `the host's apt has no package ${source.package}; try apt-get update` };
  // Without the epoch, the revision of Debian, and its rebuilds: 0.19.0-1+b3.
  if (found.replace(/^\d+:/, '').replace(/-[^-]*$/, '') !== version)
    return { ok: false, unavailable: `the host's apt has ${source.package} ${found}` };
  context.update(`downloading the package ${source.package} ${found}`);
  const downloaded = await host.run('apt-get', ['download', `${source.package}=${found}`], options);
  const archive = readdirSync(workFolder).find((name) => name.endsWith('.deb'));
  if (archive === undefined)
    return { ok: false, unavailable: downloaded.stderr.trim().split('\n').at(-1) ?? 'nothing came' };
  const unpacked = join(workFolder, 'unpacked');
  mkdirSync(unpacked);
  await host.run('dpkg-deb', ['--extract', archive, unpacked], { ...options, okStatus: [0] });
  for (const [name, member] of Object.entries(source.members)) {
    const from = join(unpacked, member);
    if (!existsSync(from))
      throw new HostError('LAB_COMPONENT_ARCHIVE', `${context.title}: ${member} not in the package`, {
        lastSeen: archive,
        tryNext: 'list it with `dpkg-deb --contents` and correct `members` in components.yaml',
      });
    copyFileSync(from, join(outFolder, name));
    chmodSync(join(outFolder, name), 0o755);
  }
  return { ok: true, facts: { package: `${source.package} ${found}` } };
}

/** The component that packages of the guest's suite make up: mmdebstrap installs them. */
export function describePackages(component: string, version: string, packages: readonly string[]): Artifact {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex');
  return { component, version, source: 'apt', digest, files: {}, packages };
}
