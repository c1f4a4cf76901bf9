import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CachePull, CachePush } from '../../../lab/model/saved/cache.ts';
import { flattenInputs } from '../../../lab/model/components/inputs.ts';
import { listSources, getComponent } from '../../../lab/model/components/components.ts';
import { entryPath } from '../../../provision/cache/entry-kind.ts';
import { componentKind, writeComponentRecord } from '../../../provision/components/component-record.ts';
import { readComponents } from '../../../provision/components/components.ts';
import { planSource } from '../../../provision/components/take-component.ts';
import { basicAuth, lacksRegistry, startDockerRegistry, type DockerRegistry } from '../../docker-registry.ts';
import { startStuckLink } from '../support/stuck-link.ts';
import { makeIdentity } from '../../https-server.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';

describe('the verbs about a remote cache', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'cache-verbs-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('say which variable they need', async () => {
    const ended = await runCli(home, ['cache', 'pull'], { WHODUNIT_REMOTE_CACHE: undefined });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toContain('cache pull needs WHODUNIT_REMOTE_CACHE');
  });

  it.each([
    ['oci://ann:hunter2@registry.example/cache', 'docker login registry.example'],
    ['https://registry.example/hunter2', 'write oci://<host>/<name>'],
    ['oci://registry.example/team/hunter2:tag', 'no tag'],
    ['oci://registry.example', 'write oci://<host>/<name>'],
  ])('refuse the address %s, and do not repeat it', async (address, advice) => {
    const ended = await runCli(home, ['cache', 'push'], { WHODUNIT_REMOTE_CACHE: address });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toContain(advice);
    expect(ended.stderr + ended.stdout).not.toContain('hunter2');
  });
});

describe.skipIf(lacksRegistry !== undefined)('a remote cache behind HTTPS and a password', () => {
  let folder: string;
  let registry: DockerRegistry;
  let env: NodeJS.ProcessEnv;
  /** Writes the password for a host into Docker's configuration, and returns the environment that leads there. */
  let reach: (host: string) => NodeJS.ProcessEnv;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cache-verbs-'));
    const { ca, cert, key } = makeIdentity();
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const tls = { certificate: write('cert.pem', cert), key: write('key.pem', key) };
    registry = await startDockerRegistry(folder, { tls, auth: basicAuth(folder, 'ann', 'hunter2') });
    reach = (host) => {
      const auth = Buffer.from('ann:hunter2').toString('base64');
      write('config.json', JSON.stringify({ auths: { [host]: { auth } } }));
      return { WHODUNIT_REMOTE_CACHE: registry.address.replace(registry.host, host) };
    };
    env = { NODE_EXTRA_CA_CERTS: write('ca.pem', ca), DOCKER_CONFIG: folder, ...reach(registry.host) };
  });
  afterEach(async () => {
    await registry.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Puts a witness of so many files into the cache of a state folder; they need no compiler. */
  const makeEntry = async (home: string, files: number, bytes: number): Promise<void> => {
    const [source] = listSources(getComponent(readComponents(PROJECT), 'witness'), '1');
    const { inputs } = await planSource({ projectDir: PROJECT }, 'witness', '1', source!);
    const dir = entryPath(componentKind(join(home, 'cache'), inputs), flattenInputs(inputs));
    mkdirSync(dir, { recursive: true });
    for (let index = 0; index < files; index++)
      writeFileSync(join(dir, index === 0 ? 'witness' : `more-${index}`), randomBytes(bytes), {
        mode: 0o755,
      });
    await writeComponentRecord(dir, inputs, {});
  };
  const ask = async (home: string, action: string) => {
    const ended = await runCli(home, ['cache', action, '--json'], env);
    expect(`${ended.stdout}${ended.stderr}`).not.toContain('hunter2');
    return ended;
  };

  it('gives to a second state folder what the first has sent, and says what neither has', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await makeEntry(first, 1, 1000);
    const pushed = JSON.parse((await ask(first, 'push')).stdout) as CachePush;
    expect(pushed.entries).toMatchObject([{ kind: 'component', version: '1', result: 'sent' }]);
    const pulled = JSON.parse((await ask(second, 'pull')).stdout) as CachePull;
    expect(pulled.entries.filter(({ result }) => result === 'pulled').map(({ name }) => name)).toEqual([
      'witness',
    ]);
    expect(pulled.entries.filter(({ result }) => result === 'absent').map(({ name }) => name)).toContain(
      'etcd',
    );
  });

  it('is refused without its authority, and without the password; the exit code is 3', async () => {
    await makeEntry(join(folder, 'first'), 1, 1000);
    const { NODE_EXTRA_CA_CERTS, ...untrusted } = env;
    expect(NODE_EXTRA_CA_CERTS).toBeDefined();
    env = untrusted;
    const stranger = await ask(join(folder, 'first'), 'push');
    expect(stranger.status).toBe(3);
    expect(stranger.stderr).toMatch(/LAB_REMOTE_CACHE[^]*certificate/);
    env = { ...untrusted, NODE_EXTRA_CA_CERTS, DOCKER_CONFIG: join(folder, 'nothing') };
    const unknown = await ask(join(folder, 'first'), 'push');
    expect(unknown.status).toBe(3);
    expect(unknown.stderr).toMatch(new RegExp(`asks for a password[^]*docker login ${registry.host}`));
  });

  it('is sent only the rest after a push was killed', async () => {
    const home = join(folder, 'first');
    await makeEntry(home, 12, 4_000_000);
    const link = await startStuckLink(registry.host, 20_000_000);
    const killed = spawn(process.execPath, [join(PROJECT, 'bin/whodunit.mjs'), 'cache', 'push'], {
      env: { ...process.env, ...env, WHODUNIT_CACHE: undefined, WHODUNIT_HOME: home, ...reach(link.host) },
      stdio: 'ignore',
    });
    const ended = once(killed, 'exit');
    await link.stuck;
    killed.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    link.close();
    reach(registry.host);
    const there = registry.listBlobs().length;
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(12);
    const { entries, sentBytes } = JSON.parse((await ask(home, 'push')).stdout) as CachePush;
    expect(entries).toMatchObject([{ result: 'sent' }]);
    expect(sentBytes).toBeLessThanOrEqual((12 - there + 1) * 4_010_000);
    const pulled = JSON.parse((await ask(join(folder, 'second'), 'pull')).stdout) as CachePull;
    expect(pulled.entries.find(({ name }) => name === 'witness')?.result).toBe('pulled');
  });
});
