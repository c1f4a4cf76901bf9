import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { compareVersions } from '../../lab/model/components/components.ts';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { cachePaths } from '../../lab/model/host/paths.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { ensureEntry } from '../cache/entry.ts';
import { findOnPath } from './programs.ts';

/** Debian package to install when no Go is found; any version will do, an old one fetches the pinned one. */
export const GO_PACKAGE = 'golang-go';

/** Go release that an old Go is exchanged for. */
const PINNED_GO = '1.26.8';

/** The first Go release that can run another release by itself (GOTOOLCHAIN, https://go.dev/doc/toolchain). */
const OLDEST_SWITCHING_GO = '1.21';

/** A Go that can run any toolchain by GOTOOLCHAIN. */
export interface Go {
  /** Absolute path of `go`. */
  readonly program: string;
  /** Its own release, such as 1.26.8. */
  readonly version: string;
}

/** Folders where Go may be: those of a PATH, then where its installer and Debian's versioned packages put it. */
export function goFolders(path = ''): string[] {
  const names = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').filter((name) => /^go(-\d|$)/.test(name))
    : [];
  return [
    ...path.split(':').filter((folder) => folder !== ''),
    '/usr/local/go/bin',
    ...names.map((name) => join('/usr/lib', name, 'bin')),
  ];
}

/** Absolute paths of every `go` of this host, the one on PATH first. */
export async function findGo(host: Host): Promise<string[]> {
  const elsewhere = goFolders().map((folder) => join(folder, 'go'));
  return [...new Set([...(await findOnPath(host, 'go')), ...elsewhere.filter((path) => existsSync(path))])];
}

/**
 * Finds a Go of 1.21 or newer; an older one (Debian 12 has 1.19) is used only to download the pinned toolchain from
 * the module proxy, verified by the checksum database, into our cache.
 *
 * @throws HostError when there is no Go at all.
 */
export async function ensureGo(host: Host, candidates?: readonly string[]): Promise<Go> {
  const found: Go[] = [];
  for (const program of candidates ?? (await findGo(host))) {
    const go = { program, version: await readGoVersion(host, program) };
    if (compareVersions(go.version, OLDEST_SWITCHING_GO) >= 0) return go;
    found.push(go);
  }
  const [old] = found;
  if (old !== undefined) return ensurePinnedGo(host, old);
  throw new HostError('LAB_GO_MISSING', 'Go is needed to build components and was not found', {
    lastSeen: 'looked on PATH, in /usr/local/go and in /usr/lib/go-*',
    tryNext: `apt-get install -y --no-install-recommends ${GO_PACKAGE}, or npx whodunit doctor --fix`,
  });
}

/**
 * Environment for every Go command of ours: what the user set for other projects must not change our bytes.
 *
 * @param cgo whether parts in C are compiled too
 */
export function goEnvironment(toolchain: string, cgo = false): Record<string, string | undefined> {
  return {
    CGO_ENABLED: cgo ? '1' : '0',
    CC: undefined,
    CGO_CFLAGS: undefined,
    CGO_CPPFLAGS: undefined,
    CGO_LDFLAGS: undefined,
    GOOS: 'linux',
    GOARCH: 'amd64',
    GOAMD64: 'v1',
    GOFLAGS: '',
    GOWORK: 'off',
    GOTOOLCHAIN: toolchain,
    GOROOT: undefined,
    GOEXPERIMENT: undefined,
    GODEBUG: undefined,
  };
}

async function readGoVersion(host: Host, program: string): Promise<string> {
  const { stdout } = await host.run(program, ['version'], {
    env: goEnvironment('local'),
    signal: host.signal,
  });
  return /\bgo(\d+\.\d+(\.\d+)?)/.exec(stdout)?.[1] ?? '0';
}

async function ensurePinnedGo(host: Host, old: Go): Promise<Go> {
  const program = await ensureEntry(host, {
    kind: toolchainKind(host.cacheDir),
    inputs: { go: PINNED_GO },
    make: ({ work, out }) =>
      host.progress.step(`Go ${PINNED_GO}, fetched by Go ${old.version}`, async () =>
        installToolchain(await downloadToolchain(host, old, work), out),
      ),
  });
  return { program, version: await readGoVersion(host, program) };
}

/** Go toolchains in the cache: `toolchains/go<release>/`. */
function toolchainKind(cacheDir: string): EntryKind<string> {
  return {
    title: 'Go toolchain',
    folder: cachePaths(cacheDir).toolchains,
    holds: (name) => /^go\d/.test(name),
    nameOf: ({ go = '' }) => `go${go}`,
    find: (folder) => [join(folder, 'bin', 'go')].find((program) => existsSync(program)),
    findInputs: (folder) => ({ go: basename(folder).slice('go'.length) }),
    usedFile: (folder) => folder,
  };
}

const downloadSchema = z.object({ Dir: z.string() });

async function downloadToolchain(host: Host, old: Go, work: string): Promise<string> {
  const module = `golang.org/toolchain@v0.0.1-go${PINNED_GO}.linux-amd64`;
  const { stdout } = await host.run(old.program, ['mod', 'download', '-json', module], {
    cwd: work,
    env: { ...goEnvironment('local'), GOTOOLCHAIN: undefined },
    signal: host.signal,
  });
  return downloadSchema.parse(JSON.parse(stdout)).Dir;
}

/**
 * Makes a toolchain module runnable, as Go >= 1.21 does by itself: a module zip carries neither mode bits nor
 * nested go.mod files (cmd/go/internal/toolchain/select.go).
 */
function installToolchain(module: string, out: string): void {
  cpSync(module, out, { recursive: true });
  makeWritable(out);
  for (const folder of ['bin', join('pkg', 'tool')]) makeExecutable(join(out, folder));
  for (const folder of ['src', join('src', 'cmd')]) {
    const hidden = join(out, folder, '_go.mod');
    if (existsSync(hidden)) copyFileSync(hidden, join(out, folder, 'go.mod'));
  }
}

/** The module cache is read-only, and so is a copy of it, which then could not be deleted. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  }
}

function makeExecutable(path: string): void {
  if (!statSync(path).isDirectory()) return chmodSync(path, 0o755);
  for (const name of readdirSync(path)) makeExecutable(join(path, name));
}
