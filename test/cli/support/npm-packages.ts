import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PROJECT } from './run-cli.ts';

interface LockEntry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readLock(file: string): readonly (readonly [string, LockEntry])[] {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  return Object.entries(packages);
}

/** Two caches of npm, and what is copied from one into the other. */
interface CacheCopy {
  readonly from: string;
  readonly to: string;
  /** A folder in which npm has installed packages with the help of the first cache. */
  readonly installed: string;
  /** Whose answers are copied. */
  readonly registry: string;
}

/**
 * Copies from npm's cache what npm asks a registry for while it installs the same packages again, and no more: what there
 * is of each package, and the package.
 */
export function copyFromNpmCache({ from, to, installed, registry }: CacheCopy): void {
  const copy = (folder: string, hex: string): string => {
    const path = join('_cacache', folder, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
    if (!existsSync(join(from, path))) return '';
    cpSync(join(from, path), join(to, path));
    return join(from, path);
  };
  for (const { name, version } of listInstalled(installed)) {
    const tarball = `${name}/-/${basename(name)}-${version}.tgz`;
    for (const asked of [name.replace('/', '%2f'), tarball]) {
      const key = `make-fetch-happen:request-cache:${registry.replace(/\/$/, '')}/${asked}`;
      const answers = copy('index-v5', createHash('sha256').update(key).digest('hex'));
      if (answers === '') continue;
      for (const [, of = '', digest = ''] of readFileSync(answers, 'utf8').matchAll(INTEGRITY))
        copy(join('content-v2', of), Buffer.from(digest, 'base64').toString('hex'));
    }
  }
}

const PACKAGE = /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;

function listInstalled(folder: string): readonly { readonly name: string; readonly version: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => PACKAGE.test(path))
    .map(
      (path) =>
        JSON.parse(readFileSync(join(folder, path), 'utf8')) as {
          readonly name: string;
          readonly version: string;
        },
    );
}

const INTEGRITY = /"integrity":"(\w+)-([^"]+)"/g;

/** Copies packages of this clone into the node modules of a project, with all that they depend on. */
export function copyPackages(names: readonly string[], project: string): void {
  const lock = readLock(join(PROJECT, 'package-lock.json'));
  const left = [...names];
  const copied = new Set<string>();
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const path = join('node_modules', name);
    // What is for another system is in the lock only.
    if (copied.has(path) || !existsSync(join(PROJECT, path))) continue;
    copied.add(path);
    cpSync(join(PROJECT, path), join(project, path), { recursive: true });
    const ofName = lock.filter(([at]) => at === path || at.startsWith(`${path}/node_modules/`));
    for (const [, { dependencies, optionalDependencies }] of ofName)
      left.push(...Object.keys({ ...dependencies, ...optionalDependencies }));
  }
}
