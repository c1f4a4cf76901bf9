import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseComponents } from '../../../../lab/model/components/components.ts';
import type { Locked } from '../../../../lab/model/components/component-lock.ts';
import { CommandError } from '../../../../lab/model/errors/errors.ts';
import type { CommandOptions, CommandResult, RunCommand, Progress } from '../../../../lab/model/host/host.ts';
import { ensureComponents } from '../../../../provision/components/components.ts';
import { writeProjectLock } from '../../../../provision/components/lock.ts';
import { planLock } from '../../../../provision/components/make-lock.ts';
import type { ComponentHost } from '../../../../provision/components/source.ts';
import { createQuietHost } from '../../../quiet-host.ts';

const source = (more: string): string =>
  `{ kind: gomod, module: example.org/m, go: 1.26.8, binaries: { tool: cmd/tool }${more} }`;
const catalogue = (more = '') =>
  parseComponents(`
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  tool: { about: a tool, versions: { '1.2': 1.2.3 }, sources: [${source(more)}] }
`);

let folder: string;
let calls: { words: string[]; options: CommandOptions }[];
/** Packages that are there; apt-get adds to them. */
let installed: Set<string>;
let sudoWorks: boolean;
/** What `go list` says of packages it cannot load. */
let unresolved: string;
/** The main package that the build had of its own. */
let main: string | undefined;
/** What a `go build` that fails prints; undefined when it does not fail. */
let printed: string[] | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'modules-'));
  calls = [];
  installed = new Set(['apt-get']);
  sudoWorks = false;
  unresolved = '';
  printed = undefined;
  main = undefined;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const answer = (stdout: string, status = 0): CommandResult => ({ status, stdout, stderr: '' });
const fails = (program: string, tail: string): never => {
  throw new CommandError({ command: program, failure: 'exit-code', status: 1, tail });
};

/** A host with Go, where `download` is what `go mod download -json` prints. */
const makeHost = (download: Record<string, string>, uid = 1000): ComponentHost => {
  const run: RunCommand = async (program, args, options = {}) => {
    calls.push({ words: [basename(program), ...args], options });
    const line = args.join(' ');
    if (program === 'which') {
      const name = args[1] ?? '';
      return name === 'go' || installed.has(name) ? answer(`/usr/bin/${name}\n`) : answer('', 1);
    }
    if (program === 'sudo' && args[1] === 'true')
      return sudoWorks ? answer('') : fails('sudo', 'a password is required');
    if (line.includes('apt-get')) {
      if (line.includes(' install '))
        for (const packageName of args.slice(args.indexOf('install'))) installed.add(packageName);
      return answer('');
    }
    if (program === 'dpkg-query') return answer('gcc 4:12.2.0-3\n');
    if (line === 'version') return answer('go version go1.26.8 linux/amd64\n');
    if (line.startsWith('mod download')) return answer(JSON.stringify(download), 'Error' in download ? 1 : 0);
    if (line.startsWith('mod edit')) return answer('{}');
    if (line.startsWith('list ')) return answer(unresolved);
    if (printed !== undefined) {
      for (const text of printed) options.onLine?.(text);
      return fails('go', 'the tail of the driver');
    }
    const file = join(options.cwd ?? '', 'tool/main.go');
    if (existsSync(file)) main = readFileSync(file, 'utf8');
    const out = args[args.indexOf('-o') + 1] ?? '';
    writeFileSync(join(out, 'tool'), 'program');
    return answer('');
  };
  return createQuietHost(folder, { run, uid, gid: uid });
};
const FOUND = { Dir: '/mod', GoMod: '/mod/go.mod', Sum: 'h1:x' };
const CGO = ', tags: [seccomp, netgo], cgo: { hostPackages: { gcc: gcc, libx-dev: /nowhere/libx.a } }';
const ensure = (host: ComponentHost, more = '', version = '1.2') =>
  ensureComponents(host, catalogue(more), [{ name: 'tool', version }]);
const findBuild = () => calls.find(({ words }) => words[0] === 'go' && words[1] === 'build');

describe('a module in the lock', () => {
  const [SUM, OTHER] = [`h1:${'A'.repeat(43)}=`, `h1:${'B'.repeat(43)}=`];
  const found = { ...FOUND, Sum: SUM };

  it('is its sum and its Go, found without building it', async () => {
    const { added, lacking } = await planLock(makeHost(found), catalogue(''), [{ name: 'tool' }]);
    expect(added).toMatchObject([{ component: 'tool', source: 'gomod', digest: SUM }]);
    expect(lacking).toEqual([]);
    expect(findBuild()).toBeUndefined();
    // Debian's Go of a module that needs a newer one does not fetch it unless it is told to.
    const asked = calls.find(({ words }) => words[1] === 'mod' && words[2] === 'download');
    expect(asked?.options.env).toMatchObject({ GOTOOLCHAIN: 'auto' });
    writeProjectLock(folder, added);
    expect(await ensure({ ...makeHost(found), locked: true })).toMatchObject([{ source: 'gomod' }]);
    const again = await planLock(makeHost(found), catalogue(''), [{ name: 'tool' }]);
    expect(again).toMatchObject({ kept: added, added: [] });
  });

  it.each([
    ['another sum', { digest: OTHER }],
    ['another Go', { go: '1.2.3' }],
  ])('is refused before anything is compiled when it has %s', async (_title, change) => {
    const { added } = await planLock(makeHost(found), catalogue(''), [{ name: 'tool' }]);
    writeProjectLock(
      folder,
      added.map((locked): Locked => (locked.source === 'gomod' ? { ...locked, ...change } : locked)),
    );
    await expect(ensure(makeHost(found))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
      lastSeen: expect.stringContaining(`received ${SUM} built with Go `) as string,
    });
    expect(findBuild()).toBeUndefined();
  });
});

describe('a version that Go does not resolve', () => {
  it('is told by module and version, with the reason and without the address of the proxy', async () => {
    const reason =
      'example.org/m@v1.2.3: reading https://proxy.example/example.org/m/@v/v1.2.3.info: 404 Not Found\n\tserver response: not found';
    await expect(ensure(makeHost({ Error: reason }))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      message: 'no source has tool 1.2.3',
      lastSeen:
        'gomod: Go does not resolve example.org/m@v1.2.3: reading the module proxy: 404 Not Found; server response: not found',
    });
  });

  it('keeps the reason when the version is the end of the address', async () => {
    const reason =
      'example.org/m@v1.2.3: verifying go.mod: reading https://proxy.example/lookup/example.org/m@v1.2.3: 404 Not Found';
    await expect(ensure(makeHost({ Error: reason }))).rejects.toMatchObject({
      lastSeen: expect.stringMatching(
        /verifying go\.mod: reading the module proxy: 404 Not Found$/,
      ) as string,
    });
  });

  it('is told before anything is compiled when a module that it needs is not to be had', async () => {
    const reason = 'example.org/dep@v0.1.0: reading https://proxy.example/dep/@v/v0.1.0.zip: 410 Gone';
    unresolved = `${reason}\n${reason}\n\tserver response: gone\n`;
    await expect(ensure(makeHost(FOUND))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      lastSeen:
        'gomod: Go does not resolve example.org/m@v1.2.3: example.org/dep@v0.1.0: reading the module proxy: 410 Gone; server response: gone',
    });
    expect(findBuild()).toBeUndefined();
  });

  it('is an error, not a reason to look elsewhere, when the checksum database contradicts', async () => {
    const reason = 'example.org/m@v1.2.3: verifying module: checksum mismatch';
    await expect(ensure(makeHost({ Error: reason }))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
    });
  });
});

describe('a module in Go alone', () => {
  it('is built without C, and asks for no package of the host', async () => {
    await ensure(makeHost(FOUND), ', tags: [netgo]');
    const build = findBuild();
    expect(build?.options.env).toMatchObject({ CGO_ENABLED: '0', CC: undefined });
    expect(build?.words.slice(4, 6)).toEqual(['-tags', 'netgo']);
    expect(build?.words.join(' ')).not.toContain('-extldflags');
    expect(calls.some(({ words }) => words.includes('apt-get'))).toBe(false);
  });
});

describe('a program with another main package than that of its module', () => {
  it('is built from it, with the modules of the same go.mod', async () => {
    await ensure(makeHost(FOUND), ", mains: { tool: 'package main' }");
    expect(findBuild()?.words.at(-1)).toBe('whodunit/build/tool');
    expect(main).toBe('package main');
  });
});

describe('a program that is compiled', () => {
  it('says which package it compiles, and how many there were', async () => {
    printed = ['go: downloading example.org/dep v1.0.0', 'example.org/dep', 'example.org/m/cmd/tool'];
    const said: string[] = [];
    const progress: Progress = {
      note: () => undefined,
      step: (_title, work) => work((detail) => void said.push(detail)),
    };
    await expect(ensure({ ...makeHost(FOUND), progress })).rejects.toThrow();
    expect(said.slice(-3)).toEqual([
      'go: downloading example.org/dep v1.0.0',
      'package 1: example.org/dep',
      'package 2: example.org/m/cmd/tool',
    ]);
  });
});

describe('a program that does not compile', () => {
  it('is told by what the compiler said, not by the packages that were compiled meanwhile', async () => {
    printed = [
      'go: downloading example.org/dep v1.0.0',
      'example.org/m/a',
      '# example.org/m/cmd/tool',
      '/mod/example.org/m@v1.2.3/main.go:390:87: undefined: dep.Get',
      '\thave (int)',
      ...Array.from({ length: 30 }, (_, index) => `example.org/m/later${index}`),
    ];
    const error: unknown = await ensure(makeHost(FOUND)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'LAB_COMPONENT_BUILD', lastSeen: '\thave (int)' });
    const { message } = error as Error;
    expect(message).toMatch(/# example\.org\/m\/cmd\/tool\n.*main\.go:390:87: undefined: dep\.Get\n/);
    expect(message).not.toMatch(/later|m\/a$|downloading/m);
  });

  it('is told as it is when Go printed names of packages alone', async () => {
    printed = ['example.org/m/a'];
    await expect(ensure(makeHost(FOUND))).rejects.toMatchObject({ lastSeen: 'the tail of the driver' });
  });
});

describe('a module with parts in C', () => {
  it('is linked statically, and the record names the packages of the host', async () => {
    const more = CGO.replace('/nowhere/libx.a', 'libx');
    installed.add('gcc').add('libx');
    const [artifact] = await ensure(makeHost(FOUND), more);
    const build = findBuild();
    expect(build?.options.env).toMatchObject({ CGO_ENABLED: '1', CGO_LDFLAGS: undefined });
    expect(build?.words).toEqual(
      expect.arrayContaining(['-tags', 'seccomp,netgo', '-s -w -linkmode=external -extldflags=-static']),
    );
    expect(artifact?.files['tool']).toBeDefined();
  });

  it('says what is missing and the line that installs it, to a user who may not', async () => {
    await expect(ensure(makeHost(FOUND), CGO)).rejects.toMatchObject({
      code: 'LAB_HOST_PACKAGES',
      exitCode: 3,
      lastSeen: 'missing: gcc (gcc), /nowhere/libx.a (libx-dev)',
      tryNext: expect.stringContaining('install -y --no-install-recommends gcc libx-dev') as string,
    });
    expect(findBuild()).toBeUndefined();
    expect(calls.some(({ words }) => words.includes('install'))).toBe(false);
  });

  it.each([
    ['root', 0, false, 'env'],
    ['a user whose sudo asks for no password', 1000, true, 'sudo'],
  ])('installs what is missing for %s', async (_who, uid, sudo, program) => {
    sudoWorks = sudo;
    await ensure(makeHost(FOUND, uid), ', cgo: { hostPackages: { gcc: gcc } }');
    const install = calls.find(({ words }) => words.includes('install'));
    expect(install?.words[0]).toBe(program);
    expect(install?.words.slice(-2)).toEqual(['--no-install-recommends', 'gcc']);
    expect(findBuild()).toBeDefined();
  });

  it('does not build when the installation did not bring what is needed', async () => {
    await expect(ensure(makeHost(FOUND, 0), CGO)).rejects.toMatchObject({
      lastSeen: 'missing: /nowhere/libx.a (libx-dev)',
    });
    expect(findBuild()).toBeUndefined();
  });
});
