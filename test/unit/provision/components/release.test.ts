import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDownload } from '../../../../lab/drivers/network/download.ts';
import {
  LOCK_FILE,
  parseLock,
  renderLock,
  type Locked,
} from '../../../../lab/model/components/component-lock.ts';
import { parseComponents, type Download } from '../../../../lab/model/components/components.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import { ensureComponents, lookUpComponent } from '../../../../provision/components/components.ts';
import { readNotHad } from '../../../../provision/components/unavailable.ts';
import type { ComponentHost } from '../../../../provision/components/source.ts';
import { startHttpsServer, type HttpsServer } from '../../../https-server.ts';
import { createQuietHost, quietProgress } from '../../../quiet-host.ts';
import { packTar } from '../../../pack-tar.ts';

const PROGRAM = Buffer.from('#!/bin/sh\necho released\n');
const OTHER = Buffer.from('#!/bin/sh\necho something else\n');
const sha = (data: Buffer, algorithm = 'sha256'): string => createHash(algorithm).update(data).digest('hex');

let folder: string;
let server: HttpsServer;
let download: Download;
let notes: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  server = await startHttpsServer();
  // One for a run.
  download = createDownload({ ca: server.ca });
  notes = [];
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const makeHost = (given: Partial<ComponentHost> = {}): ComponentHost => ({
  ...createQuietHost(folder),
  progress: { ...quietProgress, note: (text) => notes.push(text) },
  download,
  ...given,
});
const serve =
  (data: Buffer | string): RequestListener =>
  (_request, response) =>
    response.end(data);
const cut: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': PROGRAM.length });
  response.write(PROGRAM.subarray(0, 5), () => response.destroy());
};
/** Serves a file, and beside it its checksum. */
const publish = (path: string, data: Buffer): void => {
  server.answers.set(path, serve(data));
  server.answers.set(`${path}.sha256`, serve(`${sha(data)}  ${path.split('/').at(-1) ?? ''}\n`));
};

const release = (path: string, what = 'binary: tool'): string =>
  `{ kind: release, downloads: [{ url: '${server.url(path)}', checksum: '{url}.sha256', ${what} }] }`;
const catalogue = (...sources: string[]) =>
  parseComponents(`
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  tool: { about: a tool, versions: { '1.2': 1.2.3 }, sources: [${sources.join(', ')}] }
  other: { about: another one, versions: { '1.2': 1.2.3 }, sources: [${sources.join(', ')}] }
`);
const ensureTool = (host: ComponentHost, ...sources: string[]) =>
  ensureComponents(host, catalogue(...sources), [{ name: 'tool' }]);
/** A second source, for what the first one does not have. */
const mirror = (): string => {
  publish('/mirror', PROGRAM);
  return release('/mirror');
};

const writeLock = (...locked: Locked[]): void =>
  writeFileSync(join(folder, LOCK_FILE), renderLock(locked, ['for a test']));
const lockedTool = (path: string, data: Buffer, version = '1.2.3'): Locked => ({
  component: 'tool',
  version,
  source: 'release',
  url: server.url(path),
  digest: `sha256:${sha(data)}`,
});

describe('a release source', () => {
  it('downloads a program with its published checksum once, and makes it executable', async () => {
    publish('/v1.2.3/tool', PROGRAM);
    const [artifact] = await ensureTool(makeHost(), release('/v{version}/tool'));
    const path = artifact?.files['tool'] ?? '';
    expect(artifact).toMatchObject({ component: 'tool', version: '1.2.3', source: 'release' });
    expect(readFileSync(path)).toEqual(PROGRAM);
    expect(statSync(path).mode & 0o777).toBe(0o755);
    await ensureTool(makeHost(), release('/v{version}/tool'));
    expect(server.requests).toEqual(['/v1.2.3/tool.sha256', '/v1.2.3/tool']);
    const record: unknown = JSON.parse(readFileSync(join(path, '../component.json'), 'utf8'));
    expect(record).toMatchObject({
      facts: { url0: server.url('/v1.2.3/tool'), digest0: `sha256:${sha(PROGRAM)}` },
    });
  });

  it('compares a SHA-512 where that is what the project publishes', async () => {
    server.answers.set('/tool', serve(PROGRAM));
    server.answers.set('/tool.sha256', serve(`${sha(PROGRAM, 'sha512')}  tool\n`));
    expect(await ensureTool(makeHost(), release('/tool'))).toHaveLength(1);
    server.answers.set('/tool', serve(OTHER));
    rmSync(join(folder, 'cache'), { recursive: true });
    rmSync(join(folder, 'state'), { recursive: true });
    await expect(ensureTool(makeHost(), release('/tool'))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
      lastSeen: expect.stringContaining(`received sha512:${sha(OTHER, 'sha512')}`) as string,
    });
  });

  describe('of a project that publishes no checksum', () => {
    const pinned = (path: string, version = '1.2.3', digest = sha(PROGRAM)): string =>
      `{ kind: release, downloads: [{ url: '${server.url(path)}', binary: tool,
        digests: { from: 'https://example.org/sums', of: { '${version}': 'sha256:${digest}', '9.9': 'sha256:${sha(OTHER)}' } } }] }`;

    it('is compared with the digest of its version in the catalogue, and asks for nothing else', async () => {
      server.answers.set('/v1.2.3/tool', serve(PROGRAM));
      const [artifact] = await ensureTool(makeHost(), pinned('/v{version}/tool'));
      expect(readFileSync(artifact?.files['tool'] ?? '')).toEqual(PROGRAM);
      expect(server.requests).toEqual(['/v1.2.3/tool']);
    });

    it('is refused with another digest, which names who has published it', async () => {
      server.answers.set('/tool', serve(OTHER));
      await expect(ensureTool(makeHost(), pinned('/tool'))).rejects.toMatchObject({
        code: 'LAB_COMPONENT_CHECKSUM',
        lastSeen: expect.stringContaining(
          `expected sha256:${sha(PROGRAM)} (https://example.org/sums)`,
        ) as string,
      });
    });

    it('has no other version, and another source is asked for it', async () => {
      const [artifact] = await ensureTool(makeHost(), pinned('/tool', '1.2.4'), mirror());
      expect(artifact?.version).toBe('1.2.3');
      expect(server.requests).toEqual(['/mirror.sha256', '/mirror']);
      expect(() => catalogue(pinned('/tool', '1.2.4'))).toThrow(/a version that one of its sources has/);
    });

    it('is made again only when its own digest changes', async () => {
      server.answers.set('/tool', serve(PROGRAM));
      await ensureTool(makeHost(), pinned('/tool'));
      await ensureTool(makeHost(), pinned('/tool').replace(sha(OTHER), sha(Buffer.from('third'))));
      expect(server.requests).toEqual(['/tool']);
    });
  });

  it('treats a wrong checksum as an error, never as a reason to try the next source', async () => {
    publish('/tool', PROGRAM);
    server.answers.set('/tool', serve(OTHER));
    await expect(ensureTool(makeHost(), release('/tool'), mirror())).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
      exitCode: 3,
      lastSeen: expect.stringMatching(
        new RegExp(`expected sha256:${sha(PROGRAM)} \\(https:.*\\n.*received sha256:${sha(OTHER)}`),
      ) as string,
    });
    expect(readdirSync(join(folder, 'cache', 'components'))).toEqual([]);
    expect(server.requests).toEqual(['/tool.sha256', '/tool']);
    expect(existsSync(statePaths(join(folder, 'state')).firstUse)).toBe(false);
  });

  it.each([
    ['there is no checksum file', undefined, /no published checksum from .*\.sha256: HTTP 404$/],
    [
      'its checksum file names other files',
      `${sha(PROGRAM)}  other\n`,
      /does not have exactly one digest of tool$/,
    ],
  ])('is not available, and takes no file, when %s', async (_title, checksum, why) => {
    server.answers.set('/tool', serve(PROGRAM));
    if (checksum !== undefined) server.answers.set('/tool.sha256', serve(checksum));
    await ensureTool(makeHost(), release('/tool'), mirror());
    expect(server.requests).toEqual(['/tool.sha256', '/mirror.sha256', '/mirror']);
    expect(notes).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    ['has no such version', undefined, 'HTTP 404'],
    ['cuts the download off', cut, 'cut off: '],
  ])('lets the next source have its turn when the server %s', async (_title, answer, why) => {
    publish('/tool', PROGRAM);
    if (answer === undefined) server.answers.delete('/tool');
    else server.answers.set('/tool', answer);
    const [artifact] = await ensureTool(makeHost(), release('/tool'), mirror());
    expect(readFileSync(artifact?.files['tool'] ?? '')).toEqual(PROGRAM);
    expect(server.requests).toEqual(['/tool.sha256', '/tool', '/mirror.sha256', '/mirror']);
    expect(notes).toEqual([expect.stringContaining(why)]);
  });

  it('asks a host that does not answer once for all components, and says so once', async () => {
    const sources = [release('/a'), release('/b'), `{ kind: deb, package: tool, members: { tool: tool } }`];
    await server.close();
    const packaged = makeHost({
      run: (program, _words, options) => {
        if (program === 'apt-get') writeFileSync(join(options?.cwd ?? '', 'tool.deb'), '');
        if (program === 'dpkg-deb') writeFileSync(join(options?.cwd ?? '', 'unpacked', 'tool'), 'packaged');
        return Promise.resolve({ status: 0, stdout: 'Version: 1.2.3-1\n', stderr: '' });
      },
    });
    const made = await ensureComponents(packaged, catalogue(...sources), [
      { name: 'tool' },
      { name: 'other' },
    ]);
    expect(made.map(({ source }) => source)).toEqual(['deb', 'deb']);
    // The two are made side by side, and the first one asks.
    expect(notes).toEqual([
      expect.stringMatching(
        /^(?:tool|other) 1\.2\.3 is not available from release: .*does not answer.*ECONNREFUSED/,
      ),
    ]);
  });

  it('does not make again what the cache has from another source', async () => {
    const [before] = await ensureTool(makeHost(), mirror());
    await server.close();
    const sources = [release('/tool'), release('/mirror')];
    expect(await ensureTool(makeHost(), ...sources)).toEqual([before]);
    expect(await lookUpComponent(makeHost(), catalogue(...sources), { name: 'tool' })).toMatchObject({
      artifact: before,
    });
    expect(notes).toEqual([]);
  });

  it('names the reason of every source when none is left', async () => {
    await expect(ensureTool(makeHost(), release('/tool'), release('/other'))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      lastSeen: expect.stringMatching(/HTTP 404; .*HTTP 404/) as string,
    });
  });

  it('is remembered as not to be had, until some source has it', async () => {
    const state = join(folder, 'state');
    await expect(ensureTool(makeHost(), release('/tool'))).rejects.toThrow('no source has tool 1.2.3');
    expect([...readNotHad(state)]).toEqual([
      [
        'tool-1.2.3',
        {
          day: new Date().toISOString().slice(0, 10),
          why: expect.stringContaining('release: no published checksum from') as string,
        },
      ],
    ]);
    await ensureTool(makeHost(), mirror());
    expect(readNotHad(state).size).toBe(0);
  });

  it('ends as interrupted, not as unavailable, when the user stops a download', async () => {
    const stop = new AbortController();
    publish('/tool', PROGRAM);
    server.answers.set('/tool', () => stop.abort());
    await expect(
      ensureTool(makeHost({ signal: stop.signal }), release('/tool'), mirror()),
    ).rejects.toMatchObject({ code: 'LAB_INTERRUPTED' });
  });
});

describe('an archive', () => {
  it.each([
    ['.tar', (tar: Buffer) => tar],
    ['.tar.gz', (tar: Buffer) => gzipSync(tar)],
  ])('gives its programs: %s', async (ending, wrap) => {
    const archive = wrap(await packTar({ './bin/tool': PROGRAM, './README': Buffer.from('read me') }));
    publish(`/tool${ending}`, archive);
    const [artifact] = await ensureTool(makeHost(), release(`/tool${ending}`, 'members: { tool: bin/tool }'));
    expect(Object.keys(artifact?.files ?? {})).toEqual(['tool']);
    expect(readFileSync(artifact?.files['tool'] ?? '')).toEqual(PROGRAM);
  });

  it('without one of the programs is an error that names it', async () => {
    publish('/tool.tar', await packTar({ './README': Buffer.from('read me') }));
    await expect(
      ensureTool(makeHost(), release('/tool.tar', 'members: { tool: bin/tool }'), mirror()),
    ).rejects.toThrow('bin/tool not in the archive');
  });
});

describe('the lock', () => {
  const firstUse = (): string => statePaths(join(folder, 'state')).firstUse;

  it('has the digest of each download from its first use on, in the state folder alone', async () => {
    publish('/tool', PROGRAM);
    await ensureTool(makeHost(), release('/tool'));
    expect(parseLock(readFileSync(firstUse(), 'utf8'), 'x')).toEqual([lockedTool('/tool', PROGRAM)]);
    expect(existsSync(join(folder, LOCK_FILE))).toBe(false);
  });

  it('refuses a release that its project has changed since, checksum and all', async () => {
    publish('/tool', PROGRAM);
    await ensureTool(makeHost(), release('/tool'));
    publish('/tool', OTHER);
    rmSync(join(folder, 'cache'), { recursive: true });
    await expect(ensureTool(makeHost(), release('/tool'), mirror())).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
      lastSeen: expect.stringContaining(`expected sha256:${sha(PROGRAM)} (${firstUse()})`) as string,
    });
  });

  it('of the project has the last word, and saves the published checksum', async () => {
    publish('/tool', PROGRAM);
    writeLock(lockedTool('/tool', PROGRAM));
    await ensureTool(makeHost(), release('/tool'));
    expect(server.requests).toEqual(['/tool']);
    expect(existsSync(firstUse())).toBe(false);
    writeLock(lockedTool('/tool', OTHER));
    await expect(ensureTool(makeHost(), release('/tool'))).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
      message: 'the component tool 1.2.3 in the cache is not what is locked',
      lastSeen: expect.stringContaining(`expected sha256:${sha(OTHER)} (${LOCK_FILE})`) as string,
    });
    const looked = await lookUpComponent(makeHost(), catalogue(release('/tool')), { name: 'tool' });
    expect(looked).toMatchObject({ why: expect.stringContaining('is not what is locked') as string });
    expect(looked).not.toHaveProperty('artifact');
  });

  it('alone counts with --locked: another source of the same version is not taken, cached or not', async () => {
    const sources = [release('/tool'), mirror()];
    publish('/tool', PROGRAM);
    server.answers.delete('/tool');
    const [fromMirror] = await ensureTool(makeHost(), ...sources);
    const strict = makeHost({ locked: true });
    await expect(ensureTool(strict, ...sources)).rejects.toMatchObject({ code: 'LAB_COMPONENT_UNLOCKED' });
    writeLock(lockedTool('/tool', PROGRAM));
    await expect(ensureTool(strict, ...sources)).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      lastSeen: expect.stringMatching(
        /^release: not in components\.lock\.yaml; release: .*HTTP 404/,
      ) as string,
    });
    publish('/tool', PROGRAM);
    const [locked] = await ensureTool(strict, ...sources);
    expect(locked?.files).not.toEqual(fromMirror?.files);
  });

  it('is refused with every problem, or named as a file of the state folder', async () => {
    writeFileSync(join(folder, LOCK_FILE), 'formatVersion: 1\nlocked: [{ source: release, digest: x }]\n');
    await expect(ensureTool(makeHost(), mirror())).rejects.toMatchObject({
      code: 'LAB_CONFIG',
      message: expect.stringMatching(/problems in components\.lock\.yaml(.|\n)*url(.|\n)*digest/) as string,
    });
    rmSync(join(folder, LOCK_FILE));
    await ensureTool(makeHost(), mirror());
    writeFileSync(firstUse(), 'formatVersion: 2\n');
    await expect(ensureTool(makeHost(), mirror())).rejects.toMatchObject({ code: 'LAB_STATE_FILE' });
  });
});
