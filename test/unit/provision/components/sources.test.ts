import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadFile } from '../../../../lab/drivers/download.ts';
import { parseComponents } from '../../../../lab/model/components.ts';
import { CommandError } from '../../../../lab/model/errors.ts';
import type { RunCommand } from '../../../../lab/model/host.ts';
import { ensureComponents } from '../../../../provision/components/components.ts';
import { ensureGo } from '../../../../provision/components/go.ts';
import type { ComponentHost } from '../../../../provision/components/source.ts';
import { createQuietHost, quietProgress } from '../../../quiet-host.ts';
import {
  ensureProvider,
  ensureTerraform,
  PROVIDER_ADDRESS,
} from '../../../../provision/components/terraform.ts';
import { PROJECT } from '../../project-files.ts';

const PROGRAM = Buffer.from('#!/bin/sh\necho released\n');
const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

let folder: string;
let server: Server;
let answers: Record<string, RequestListener>;
let requests: string[];
let notes: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sources-'));
  [answers, requests, notes] = [{}, [], []];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  server.closeAllConnections();
  // Closing it twice is an answer of its own: a test closes it to see nobody listen.
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

const noPrograms: RunCommand = (program) =>
  Promise.reject(new CommandError({ command: program, failure: 'not-found', tail: '' }));

const makeHost = (run: RunCommand = noPrograms, signal = new AbortController().signal): ComponentHost => ({
  ...createQuietHost(folder, { run, signal, projectDir: PROJECT }),
  progress: { ...quietProgress, note: (text) => notes.push(text) },
  download: downloadFile,
});

const url = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const release = (path: string, digest: string, what: string): string =>
  `{ kind: release, downloads: [{ url: '${url(path)}', sha256: { 1.2.3: ${digest} }, ${what} }] }`;
const catalogue = (...sources: string[]) =>
  parseComponents(`
formatVersion: 1
components:
  tool: { about: a tool, versions: { '1.2': 1.2.3, '1.1': 1.1.0 }, sources: [${sources.join(', ')}] }
`);
const ensureTool = (host: ComponentHost, version: string, ...sources: string[]) =>
  ensureComponents(host, catalogue(...sources), [{ name: 'tool', version }]);
/** A second source, for what the first one does not have. */
const mirror = (): string => {
  answers['/mirror'] = serve(PROGRAM);
  const pinned = `{ 1.2.3: ${sha256(PROGRAM)}, 1.1.0: ${sha256(PROGRAM)} }`;
  return `{ kind: release, downloads: [{ url: '${url('/mirror')}', sha256: ${pinned}, binary: tool }] }`;
};
const serve =
  (data: Buffer): RequestListener =>
  (_request, response) =>
    response.end(data);

describe('a release source', () => {
  it('downloads a program once and makes it executable', async () => {
    answers['/v1.2.3/tool'] = serve(PROGRAM);
    const source = release('/v{version}/tool', sha256(PROGRAM), 'binary: tool');
    const [artifact] = await ensureTool(makeHost(), '1.2', source);
    const path = artifact?.files['tool'] ?? '';
    expect(artifact).toMatchObject({ component: 'tool', version: '1.2.3', source: 'release' });
    expect(readFileSync(path)).toEqual(PROGRAM);
    expect(statSync(path).mode & 0o777).toBe(0o755);
    await ensureTool(makeHost(), '1.2', source);
    expect(requests).toEqual(['/v1.2.3/tool']);
  });

  it('treats a wrong checksum as an error, never as a reason to try the next source', async () => {
    answers['/tool'] = serve(Buffer.from('something else'));
    const made = ensureTool(makeHost(), '1.2', release('/tool', sha256(PROGRAM), 'binary: tool'), mirror());
    await expect(made).rejects.toMatchObject({
      code: 'LAB_COMPONENT_CHECKSUM',
      exitCode: 3,
      lastSeen: expect.stringContaining(sha256(PROGRAM)) as string,
    });
    expect(readdirSync(join(folder, 'cache', 'components'))).toEqual([]);
  });

  it('lets the next source have its turn when the server has no such file', async () => {
    const [artifact] = await ensureTool(
      makeHost(),
      '1.2',
      release('/tool', sha256(PROGRAM), 'binary: tool'),
      mirror(),
    );
    expect(Object.keys(artifact?.files ?? {})).toEqual(['tool']);
    expect(requests).toEqual(['/tool', '/mirror']);
    expect(notes.join()).toContain('HTTP 404');
  });

  it('lets the next source have its turn when the download is cut short', async () => {
    answers['/tool'] = (_request, response) => {
      response.writeHead(200, { 'content-length': PROGRAM.length });
      response.write(PROGRAM.subarray(0, 5), () => response.destroy());
    };
    const [artifact] = await ensureTool(
      makeHost(),
      '1.2',
      release('/tool', sha256(PROGRAM), 'binary: tool'),
      mirror(),
    );
    expect(readFileSync(artifact?.files['tool'] ?? '')).toEqual(PROGRAM);
    expect(requests).toEqual(['/tool', '/mirror']);
  });

  it('counts as unavailable, each with its reason, when nobody listens', async () => {
    const sources = [release('/tool', sha256(PROGRAM), 'binary: tool'), mirror()];
    await new Promise((done) => server.close(done));
    expect(server.listening).toBe(false);
    await expect(ensureTool(makeHost(), '1.2', ...sources)).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      lastSeen: expect.stringMatching(/ECONNREFUSED.*ECONNREFUSED/) as string,
    });
  });

  it('asks nobody for a version without a pinned digest', async () => {
    const [artifact] = await ensureTool(
      makeHost(),
      '1.1',
      release('/tool', sha256(PROGRAM), 'binary: tool'),
      mirror(),
    );
    expect(artifact?.version).toBe('1.1.0');
    expect(requests).toEqual(['/mirror']);
  });

  it.each([
    ['.tar', (tar: Buffer) => tar],
    ['.tar.gz', (tar: Buffer) => gzipSync(tar)],
  ])('takes its programs out of a %s', async (ending, wrap) => {
    const archive = wrap(await packTar({ './bin/tool': PROGRAM, './README': Buffer.from('read me') }));
    answers[`/tool${ending}`] = serve(archive);
    const source = release(`/tool${ending}`, sha256(archive), 'members: { tool: bin/tool }');
    const [artifact] = await ensureTool(makeHost(), '1.2', source);
    expect(Object.keys(artifact?.files ?? {})).toEqual(['tool']);
    expect(readFileSync(artifact?.files['tool'] ?? '')).toEqual(PROGRAM);
  });

  it('names a program that is not in the archive', async () => {
    const archive = await packTar({ './README': Buffer.from('read me') });
    answers['/tool.tar'] = serve(archive);
    const source = release('/tool.tar', sha256(archive), 'members: { tool: bin/tool }');
    await expect(ensureTool(makeHost(), '1.2', source, mirror())).rejects.toThrow(
      'bin/tool not in the archive',
    );
  });

  it('ends as interrupted, not as unavailable, when the user stops a download', async () => {
    const stop = new AbortController();
    answers['/tool'] = () => stop.abort();
    const made = ensureTool(
      makeHost(noPrograms, stop.signal),
      '1.2',
      release('/tool', sha256(PROGRAM), 'binary: tool'),
      mirror(),
    );
    await expect(made).rejects.toMatchObject({ code: 'LAB_INTERRUPTED' });
  });

  it('lists every reason when no source is left', async () => {
    const made = ensureTool(makeHost(), '1.2', release('/tool', sha256(PROGRAM), 'binary: tool'));
    await expect(made).rejects.toMatchObject({
      code: 'LAB_COMPONENT_UNAVAILABLE',
      lastSeen: expect.stringContaining('HTTP 404') as string,
    });
  });
});

const answer = (stdout: string) => ({ status: 0, stdout, stderr: '' });

describe('Go', () => {
  it('is the first one new enough on the path', async () => {
    const [old, good] = ['/old/go', '/good/go'];
    const run: RunCommand = async (program) =>
      answer(`go version go${program === old ? '1.19.8' : '1.22.1'} linux/amd64\n`);
    const go = await ensureGo(makeHost(run), [old, good]);
    expect(go).toEqual({ program: good, version: '1.22.1' });
  });

  it('exchanges an old one for the pinned toolchain, executable, without touching the module cache', async () => {
    const old = '/old/go';
    const module = join(folder, 'module');
    for (const each of ['bin', 'pkg/tool/linux_amd64', 'src/cmd'])
      mkdirSync(join(module, each), { recursive: true });
    for (const file of ['bin/go', 'pkg/tool/linux_amd64/compile'])
      writeFileSync(join(module, file), '', { mode: 0o444 });
    for (const file of ['src/_go.mod', 'src/cmd/_go.mod'])
      writeFileSync(join(module, file), 'module std\n', { mode: 0o444 });
    const run: RunCommand = async (program, args) => {
      if (args[0] === 'mod') return answer(JSON.stringify({ Dir: module }));
      return answer(`go version go${program === old ? '1.19.8' : '1.26.8'} linux/amd64\n`);
    };
    const go = await ensureGo(makeHost(run), [old]);
    const root = join(folder, 'cache', 'toolchains', 'go1.26.8');
    expect(go).toEqual({ program: join(root, 'bin', 'go'), version: '1.26.8' });
    for (const file of ['bin/go', 'pkg/tool/linux_amd64/compile'])
      expect(statSync(join(root, file)).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(root, 'src', 'cmd', 'go.mod'), 'utf8')).toBe('module std\n');
    expect(statSync(join(module, 'bin', 'go')).mode & 0o777).toBe(0o444);
    expect(readdirSync(join(root, '..'))).toEqual(['go1.26.8']);
    rmSync(module, { recursive: true });
    expect(await ensureGo(makeHost(run), [old])).toEqual(go);
  });

  it('leaves nothing behind when the toolchain cannot be had', async () => {
    const run: RunCommand = async (_program, args) => {
      if (args[0] === 'mod') throw new Error('no network');
      return answer('go version go1.19.8 linux/amd64\n');
    };
    await expect(ensureGo(makeHost(run), ['/old/go'])).rejects.toThrow('no network');
    expect(readdirSync(join(folder, 'cache', 'toolchains'))).toEqual([]);
  });

  it('says which package to install when there is none', async () => {
    await expect(ensureGo(makeHost(), [])).rejects.toMatchObject({
      code: 'LAB_GO_MISSING',
      tryNext: expect.stringContaining('golang-go') as string,
    });
  });
});

describe('Terraform and its provider', () => {
  it('skips a Terraform that is too old and one that does not work', async () => {
    const [old, broken, tofu] = ['/old/terraform', '/broken/terraform', '/usr/bin/tofu'];
    const run: RunCommand = async (program, args) => {
      if (program === 'which') return answer(args[1] === 'tofu' ? `${tofu}\n` : `${old}\n${broken}\n`);
      if (program === broken)
        throw new CommandError({ command: program, failure: 'exit-code', status: 1, tail: 'no' });
      return answer(JSON.stringify({ terraform_version: program === old ? '1.4.6' : '1.10.6' }));
    };
    const found = await ensureTerraform(makeHost(run));
    expect(found).toEqual({ program: tofu, kind: 'tofu', version: '1.10.6' });
  });

  it('takes the provider from the registry when it answers, and asks it only once', async () => {
    let asked = 0;
    const run: RunCommand = async (_program, args) => {
      asked++;
      const target = join(args.at(-1) ?? '', PROVIDER_ADDRESS);
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, 'terraform-provider-libvirt_0.8.3_linux_amd64.zip'), 'zip');
      return answer('');
    };
    const terraform = { program: '/bin/terraform', kind: 'terraform', version: '1.11.4' } as const;
    const provider = await ensureProvider(makeHost(run), terraform);
    expect(provider.source).toBe('registry');
    expect(await ensureProvider(makeHost(run), terraform)).toEqual(provider);
    expect(asked).toBe(1);
    const config = readFileSync(provider.cliConfig, 'utf8');
    expect(config).toContain(`include = ["${PROVIDER_ADDRESS}"]`);
    expect(config).not.toContain('direct');
    const mirror = join(folder, 'cache', 'providers');
    expect(readdirSync(mirror).sort()).toEqual(['registry.terraform.io', 'terraform.rc']);
    expect(readdirSync(join(mirror, PROVIDER_ADDRESS, '..'))).toEqual(['libvirt']);
  });
});

async function packTar(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, data] of Object.entries(files)) archive.entry({ name }, data);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
