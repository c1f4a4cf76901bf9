import { existsSync } from 'node:fs';
import { CommandError, HostError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { findOnPath } from './programs.ts';

/** Waits for another apt on the host instead of failing at once. */
const APT_OPTIONS = ['-o', 'DPkg::Lock::Timeout=120'];
const APT_ENV = ['DEBIAN_FRONTEND=noninteractive'];

/**
 * Makes sure that the host has packages that only some components need. They are installed for root, and for a user who
 * can use sudo without a password.
 *
 * @param packages Debian package to a program on PATH, or an absolute path, that shows it is there
 * @param title what needs them: `runc 1.1.12`
 * @throws HostError LAB_HOST_PACKAGES naming what is missing and the line that installs it.
 */
export async function ensureHostPackages(
  host: Host,
  title: string,
  packages: Readonly<Record<string, string>>,
): Promise<void> {
  const missing = await listMissing(host, packages);
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name);
  const sudo = host.uid === 0 ? [] : ['sudo', '-n'];
  if ((await isPresent(host, 'apt-get')) && (host.uid === 0 || (await hasSudo(host)))) {
    await host.progress.step(`install ${names.join(' ')} for ${title}`, () =>
      installPackages(host, sudo, names),
    );
  }
  const left = await listMissing(host, packages);
  if (left.length === 0) return;
  throw new HostError('LAB_HOST_PACKAGES', `${title} needs packages that this host does not have`, {
    lastSeen: `missing: ${left.map(([name, needs]) => `${needs} (${name})`).join(', ')}`,
    tryNext: `as root: apt-get update && apt-get install -y --no-install-recommends ${left.map(([name]) => name).join(' ')}`,
  });
}

/** Installs Debian packages on the host, as root or behind the given words (`sudo -n`). Throws CommandError. */
export async function installPackages(
  host: Host,
  sudo: readonly string[],
  packages: readonly string[],
): Promise<void> {
  const apt = (words: readonly string[]) => {
    const [program = 'env', ...rest] = [...sudo, 'env', ...APT_ENV, 'apt-get', ...APT_OPTIONS, ...words];
    return host.run(program, rest, { timeoutMs: TIME_LIMITS.host.apt.ms, signal: host.signal });
  };
  try {
    await apt(['update']);
  } catch (error) {
    // One broken package source of the host must not stop us: the installation decides, and says why.
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    host.progress.note(`apt-get update: ${error.tail.split('\n').at(-1) ?? error.message}`);
  }
  await apt(['install', '-y', '--no-install-recommends', ...packages]);
}

/** Whether sudo is there and works without asking for a password. */
export async function hasSudo(host: Host): Promise<boolean> {
  try {
    await host.run('sudo', ['-n', 'true'], { timeoutMs: TIME_LIMITS.host.sudo.ms, signal: host.signal });
    return true;
  } catch (error) {
    // There is no sudo, or it asks for a password.
    if (error instanceof CommandError && error.failure !== 'aborted') return false;
    throw error;
  }
}

/** Names the installed versions of packages, for the record of a build; empty where there is no dpkg. */
export async function describeHostPackages(host: Host, packages: readonly string[]): Promise<string> {
  try {
    const { stdout } = await host.run('dpkg-query', ['-W', '-f=${Package} ${Version}\n', ...packages], {
      okStatus: [0, 1],
      signal: host.signal,
    });
    return stdout.trim().split('\n').join(', ');
  } catch (error) {
    if (error instanceof CommandError && error.failure === 'not-found') return '';
    throw error;
  }
}

async function listMissing(
  host: Host,
  packages: Readonly<Record<string, string>>,
): Promise<[name: string, needs: string][]> {
  const missing: [string, string][] = [];
  for (const [name, needs] of Object.entries(packages)) {
    if (!(await isPresent(host, needs))) missing.push([name, needs]);
  }
  return missing;
}

async function isPresent(host: Host, needs: string): Promise<boolean> {
  return needs.startsWith('/') ? existsSync(needs) : (await findOnPath(host, needs)).length > 0;
}
