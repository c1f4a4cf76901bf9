import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../lab/drivers/programs/command.ts';
import { openRemoteCache } from '../../../lab/drivers/remote/remote-cache.ts';
import { parseComponents, type Artifact } from '../../../lab/model/components/components.ts';
import type { Host } from '../../../lab/model/host/host.ts';
import { cachePaths } from '../../../lab/model/host/paths.ts';
import type { RemoteCache } from '../../../lab/model/host/remote-cache.ts';
import { ensureComponents } from '../../../provision/components/components.ts';
import type { ComponentHost } from '../../../provision/components/source.ts';
import { listSharedEntries } from '../../../lab/world/cache/shared-entries.ts';
import { pushCache } from '../../../lab/world/cache/push-cache.ts';
import { createQuietHost, quietProgress } from '../../quiet-host.ts';
import {
  basicAuth,
  lacksRegistry,
  startDockerRegistry,
  startTokenAuthority,
  type DockerRegistry,
  type RegistryOptions,
} from '../../docker-registry.ts';

const GO = execFileSync('go', ['env', 'GOVERSION']).toString().trim().slice(2);

const catalogue = parseComponents(`
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  tool: { about: one, versions: { '1': 1.0.0 }, sources: [{ kind: local, folder: tool, go: ${GO}, binaries: { tool: '' } }] }
  other: { about: two, versions: { '1': 1.0.0 }, sources: [{ kind: local, folder: other, go: ${GO}, binaries: { other: '' } }] }
`);

/** A host with a state folder of its own; what it ran and said. */
interface TestHost {
  readonly host: ComponentHost;
  readonly remote: RemoteCache;
  /** How often Go compiled. */
  readonly builds: () => number;
  readonly notes: string[];
}

describe.skipIf(lacksRegistry !== undefined)('a remote cache as a second level', () => {
  let folder: string;
  let registry: DockerRegistry;
  const closers: (() => void)[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'second-level-'));
    for (const name of ['tool', 'other']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'go.mod'), `module example.test/${name}\n\ngo 1.19\n`);
      writeFileSync(join(folder, name, 'main.go'), `package main\n\nfunc main() { println("${name}") }\n`);
    }
  });
  afterEach(async () => {
    await registry.kill();
    for (const close of closers.splice(0)) close();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (options: RegistryOptions = {}): Promise<void> => {
    registry = await startDockerRegistry(folder, options);
  };
  const open = (name: string, given: Partial<Host> = {}): TestHost => {
    const notes: string[] = [];
    let builds = 0;
    const cacheDir = given.cacheDir ?? join(folder, name, 'cache');
    const env = { DOCKER_CONFIG: folder };
    const transfers = cachePaths(cacheDir).transfers;
    const remote = openRemoteCache(registry.address, { run: runCommand, env, transfers });
    const host = createQuietHost(folder, {
      stateDir: join(folder, name),
      cacheDir,
      openRemote: () => Promise.resolve(remote),
      progress: { ...quietProgress, note: (text) => void notes.push(text) },
      run: (program, words, options) => {
        if (words[0] === 'build') builds += 1;
        return runCommand(program, words, options);
      },
      ...given,
    });
    return {
      host: { ...host, download: () => Promise.resolve({ ok: false, unavailable: 'no way out' }) },
      remote,
      builds: () => builds,
      notes,
    };
  };
  const ensure = async ({ host }: TestHost, ...names: string[]): Promise<Artifact[]> =>
    ensureComponents(
      host,
      catalogue,
      names.map((name) => ({ name, version: '1' })),
    );
  const push = ({ host, remote }: TestHost) => pushCache(host, remote, listSharedEntries(host));
  const pushBoth = async (): Promise<TestHost> => {
    const first = open('first');
    await ensure(first, 'tool', 'other');
    expect(first.builds()).toBe(2);
    expect((await push(first)).entries.map(({ result }) => result)).toEqual(['sent', 'sent']);
    return first;
  };

  it('lets a second host with an empty cache build nothing, and run the same programs', async () => {
    await start();
    const first = await pushBoth();
    const second = open('second');
    const [here] = await ensure(first, 'tool');
    const [there] = await ensure(second, 'tool', 'other');
    expect([second.builds(), second.notes]).toEqual([0, []]);
    expect(there?.digest).toBe(here?.digest);
    const program = there?.files['tool'] ?? '';
    expect(program).toContain(join(folder, 'second'));
    expect(execFileSync(program, { stdio: 'pipe' }).toString()).toBe('');
    expect(readdirSync(cachePaths(second.host.cacheDir).transfers)).toEqual([]);
    expect((await push(second)).entries.map(({ result }) => result)).toEqual(['there', 'there']);
  });

  it('asks with a password, and says in one line when it is wrong', async () => {
    await start({ auth: basicAuth(folder, 'ann', 'secret-1') });
    const account = (password: string): void =>
      writeFileSync(
        join(folder, 'config.json'),
        JSON.stringify({
          auths: { [registry.host]: { auth: Buffer.from(`ann:${password}`).toString('base64') } },
        }),
      );
    account('secret-1');
    await pushBoth();
    account('secret-2');
    const second = open('second');
    await ensure(second, 'tool', 'other');
    expect(second.builds()).toBe(2);
    expect(second.notes).toEqual([
      expect.stringMatching(
        /^the remote cache \S+ is not used any more \(.*HTTP 401.*\); what is missing is made here$/,
      ),
    ]);
    expect(second.notes.join()).not.toContain('secret');
  });

  it('asks with the token of an authority', async () => {
    const authority = await startTokenAuthority(folder, 'ann', 'secret-1');
    closers.push(() => authority.close());
    await start({ auth: authority.auth });
    const auth = Buffer.from('ann:secret-1').toString('base64');
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    await pushBoth();
    const second = open('second');
    await ensure(second, 'tool', 'other');
    expect([second.builds(), second.notes]).toEqual([0, []]);
    // The registry names what is allowed in any order.
    const asked = authority.scopes.map((scope) => scope.replace('push,pull', 'pull,push'));
    expect(new Set(asked)).toEqual(
      new Set(['repository:team/cache:pull', 'repository:team/cache:pull,push']),
    );
  });

  it('that is dead is said once, and everything is built', async () => {
    await start();
    await pushBoth();
    await registry.kill();
    const second = open('second');
    await ensure(second, 'tool', 'other');
    expect(second.builds()).toBe(2);
    expect(second.notes).toEqual([expect.stringContaining('ECONNREFUSED')]);
    await expect(push(second)).rejects.toMatchObject({ code: 'LAB_REMOTE_CACHE', exitCode: 3 });
  });

  it('that dies in the middle of an entry is said once, and everything is built', async () => {
    await start();
    await pushBoth();
    const second = open('second');
    let dead: Promise<void> | undefined;
    const step: Host['progress']['step'] = (_title, work) => work(() => void (dead ??= registry.kill()));
    const dying = { ...second.host, progress: { ...second.host.progress, step } };
    await ensureComponents(dying, catalogue, [{ name: 'tool', version: '1' }]);
    expect(dead).toBeDefined();
    expect(second.builds()).toBe(1);
    expect(second.notes).toHaveLength(1);
  });

  it('is not used for an entry whose blob is not what its digest says, and is for others', async () => {
    await start();
    await pushBoth();
    // Programs are longer than their records.
    for (const digest of registry.listBlobs()) {
      const path = join(registry.blobs, digest.slice(0, 2), digest, 'data');
      const content = readFileSync(path);
      if (content.length < 100_000) continue;
      content[content.length - 1]! ^= 1;
      writeFileSync(path, content);
    }
    const second = open('second');
    await ensure(second, 'tool', 'other');
    expect(second.builds()).toBe(2);
    expect([...second.notes].sort().reverse()).toEqual([
      expect.stringMatching(
        /^warning: the component tool 1.0.0 of \S+ is not used: sha256:\w+ came as sha256:\w+$/,
      ),
      expect.stringMatching(/^warning: the component other 1.0.0 of /),
    ]);
    expect(second.remote.findFailure()).toBeUndefined();
  });

  it('does not fetch again what had arrived before an interrupt', async () => {
    await start();
    await pushBoth();
    const before = registry.listBlobs();
    const stop = new AbortController();
    const step: Host['progress']['step'] = (_title, work) => work(() => stop.abort());
    const broken = open('second', { signal: stop.signal, progress: { step, note: () => undefined } });
    await expect(ensure(broken, 'tool')).rejects.toMatchObject({ code: 'LAB_INTERRUPTED' });
    const kept = readdirSync(cachePaths(broken.host.cacheDir).transfers).map((name) =>
      name.replace('sha256-', ''),
    );
    expect(kept).toHaveLength(1);
    expect(before).toEqual(expect.arrayContaining(kept));
    // Whoever asked for it once more would not get it.
    for (const digest of kept) rmSync(join(registry.blobs, digest.slice(0, 2), digest), { recursive: true });
    const second = open('second');
    await ensure(second, 'tool');
    expect([second.builds(), second.notes]).toEqual([0, []]);
  });

  it('takes two pushers at once', async () => {
    await start();
    const first = open('first');
    const other = open('third');
    await ensure(first, 'tool');
    await ensure(other, 'tool');
    await Promise.all([push(first), push(other)]);
    const second = open('second');
    await ensure(second, 'tool');
    expect(second.builds()).toBe(0);
  });

  it('asks again while the registry writes what another pusher sends', async () => {
    await start();
    await pushBoth();
    // The registry empties a link before it writes it.
    const links = readdirSync(join(folder, 'registry'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('/link'))
      .map((path) => join(folder, 'registry', path));
    const before = new Map(links.map((link) => [link, readFileSync(link)]));
    for (const link of links) writeFileSync(link, '');
    const timer = setTimeout(() => {
      for (const [link, content] of before) writeFileSync(link, content);
    }, 1_000);
    closers.push(() => clearTimeout(timer));
    const second = open('second');
    await ensure(second, 'tool');
    expect([second.builds(), second.notes]).toEqual([0, []]);
  });

  it.skipIf(process.getuid?.() !== 0)('leaves nothing on a disk that is too small, and says so', async () => {
    await start();
    const first = await pushBoth();
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700k', 'none', disk]);
    closers.push(() => execFileSync('umount', ['--lazy', disk]));
    const second = open('second', { cacheDir: join(disk, 'cache') });
    await expect(ensure(second, 'tool')).rejects.toThrow();
    expect(second.notes[0]).toMatch(/^warning: the component tool 1.0.0 of \S+ is not used: ENOSPC/);
    expect(readdirSync(cachePaths(second.host.cacheDir).transfers)).toEqual([]);
    expect(
      readdirSync(cachePaths(second.host.cacheDir).components).filter((name) => name.startsWith('.')),
    ).toEqual([]);
    expect(first.notes).toEqual([]);
  });
});
