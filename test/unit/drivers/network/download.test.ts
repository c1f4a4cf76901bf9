import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDownload, type DownloadOptions } from '../../../../lab/drivers/network/download.ts';
import type { Download } from '../../../../lab/model/components/components.ts';
import { startHttpsServer, type HttpsServer } from '../../../https-server.ts';
import { PROJECT } from '../../project-files.ts';

let folder: string;
let server: HttpsServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'download-'));
  server = await startHttpsServer();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'file');
const create = (options: DownloadOptions = {}): Download => createDownload({ ca: server.ca, ...options });
const fetchWith = (
  download: Download,
  url: string,
  timeoutMs = 10_000,
  signal = new AbortController().signal,
) => download(url, file(), { signal, timeoutMs });

describe('a download', () => {
  it('is the whole body of an answer', async () => {
    const body = Buffer.alloc(300_000, 'x');
    server.answers.set('/big', (_request, response) => response.end(body));
    expect(await fetchWith(create(), server.url('/big'))).toEqual({ ok: true, bytes: body.length });
    expect(readFileSync(file())).toEqual(body);
  });

  it('follows redirects, relative ones and those to another host', async () => {
    const cdn = await startHttpsServer();
    try {
      server.answers.set('/release', (_request, response) =>
        response.writeHead(302, { location: '/moved?sig=1' }).end(),
      );
      server.answers.set('/moved?sig=1', (_request, response) =>
        response.writeHead(301, { location: cdn.url('/file') }).end(),
      );
      cdn.answers.set('/file', (_request, response) => response.end('there'));
      expect(await fetchWith(create(), server.url('/release'))).toEqual({ ok: true, bytes: 5 });
      expect(cdn.requests).toEqual(['/file']);
    } finally {
      await cdn.close();
    }
  });

  it.each([
    'http://127.0.0.1/file',
    'HTTP://127.0.0.1/file',
    'http://169.254.169.254/latest/meta-data',
    'http:/\\127.0.0.1/file',
    'file:///etc/shadow',
    'ftp://127.0.0.1/file',
    'data:text/plain,x',
    'ws://127.0.0.1/file',
  ])('is refused when a redirect leads to %s', async (location) => {
    server.answers.set('/plain', (_request, response) => response.writeHead(302, { location }).end());
    expect(await fetchWith(create(), server.url('/plain'))).toEqual({
      ok: false,
      unavailable: `it is redirected to ${new URL(location).href}, which is not HTTPS`,
    });
    expect(existsSync(file())).toBe(false);
  });

  it.each(['http://', 'https://[', 'https://x y/'])(
    'is refused when a redirect leads to %j, which is no address',
    async (location) => {
      server.answers.set('/odd', (_request, response) => response.writeHead(302, { location }).end());
      expect(await fetchWith(create(), server.url('/odd'))).toMatchObject({ ok: false });
      expect(existsSync(file())).toBe(false);
    },
  );

  it('is refused when redirects go in a circle', async () => {
    server.answers.set('/circle', (_request, response) =>
      response.writeHead(302, { location: '/circle' }).end(),
    );
    expect(await fetchWith(create(), server.url('/circle'))).toMatchObject({
      unavailable: 'more than 5 redirects',
    });
  });

  it('is none when the answer is cut off, of known and of unknown length', async () => {
    server.answers.set('/known', (_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('12345', () => response.destroy());
    });
    server.answers.set('/unknown', (_request, response) => {
      response.write('12345', () => response.destroy());
    });
    const download = create();
    expect(await fetchWith(download, server.url('/known'))).toMatchObject({
      unavailable: expect.stringMatching(/^cut off: /) as string,
    });
    expect(await fetchWith(download, server.url('/unknown'))).toMatchObject({
      unavailable: expect.stringMatching(/^cut off: /) as string,
    });
  });

  it('waits for a slow answer, but not for one that stops', async () => {
    server.answers.set('/slow', (_request, response) => {
      let left = 5;
      const timer = setInterval(() => {
        response.write('x');
        if (--left > 0) return;
        clearInterval(timer);
        response.end();
      }, 400);
    });
    server.answers.set('/stalled', (_request, response) => void response.write('x'));
    const download = create({ stallMs: 1500 });
    expect(await fetchWith(download, server.url('/slow'))).toEqual({ ok: true, bytes: 5 });
    expect(await fetchWith(download, server.url('/stalled'))).toMatchObject({
      unavailable: expect.stringMatching(/^cut off: /) as string,
    });
    // A file that stops says nothing about the next one of that host.
    expect(await fetchWith(download, server.url('/slow'))).toMatchObject({ ok: true });
  });

  it('ends when its time is up, and as interrupted when the user stops it', async () => {
    const stop = new AbortController();
    server.answers.set('/endless', (_request, response) => void response.write('x'));
    server.answers.set('/stopped', () => stop.abort());
    expect(await fetchWith(create(), server.url('/endless'), 200)).toMatchObject({
      unavailable: 'not done after 0.2 s',
    });
    await expect(fetchWith(create(), server.url('/stopped'), 10_000, stop.signal)).rejects.toMatchObject({
      code: 'LAB_INTERRUPTED',
    });
  });

  it('fails when the disk does', async () => {
    server.answers.set('/file', (_request, response) => response.end('x'));
    rmSync(folder, { recursive: true });
    await expect(fetchWith(create(), server.url('/file'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a host that does not answer', () => {
  it('is asked once: nobody listens there', async () => {
    const url = server.url('/file');
    await server.close();
    const download = create();
    const first = await fetchWith(download, url);
    expect(first).toMatchObject({
      unavailable: expect.stringMatching(/^127\.0\.0\.1:\d+ does not answer \(.*ECONNREFUSED/) as string,
    });
    expect(first).not.toHaveProperty('knownBefore');
    expect(await fetchWith(download, url)).toMatchObject({ ok: false, knownBefore: true });
    expect(await fetchWith(create(), url)).not.toHaveProperty('knownBefore');
  });

  it('is asked once: its name is unknown', async () => {
    const download = create();
    expect(await fetchWith(download, 'https://nowhere.invalid/a')).toMatchObject({
      unavailable: expect.stringMatching(/^nowhere\.invalid does not answer \(getaddrinfo /) as string,
    });
    expect(await fetchWith(download, 'https://nowhere.invalid/b')).toMatchObject({ knownBefore: true });
  });

  it('is asked once: it takes the connection and says nothing', async () => {
    const sockets: Socket[] = [];
    const silent: Server = createTcpServer((socket) => void sockets.push(socket));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    try {
      const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/file`;
      const download = create({ answerMs: 200 });
      expect(await fetchWith(download, url)).toMatchObject({
        unavailable: expect.stringContaining('does not answer (no answer within 0.2 s)') as string,
      });
      // Where this process was away for all of that time it only now takes the connection.
      await expect.poll(() => sockets).toHaveLength(1);
      expect(await fetchWith(download, url)).toMatchObject({ knownBefore: true });
      expect(sockets).toHaveLength(1);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => silent.close(done));
    }
  });

  it('is not trusted without its authority', async () => {
    server.answers.set('/file', (_request, response) => response.end('x'));
    expect(await fetchWith(createDownload(), server.url('/file'))).toMatchObject({
      unavailable: expect.stringMatching(/does not answer \(.*certificate/) as string,
    });
    expect(server.requests).toEqual([]);
  });

  it('is one that others redirect to: the first host is asked again', async () => {
    server.answers.set('/file', (_request, response) =>
      response.writeHead(302, { location: 'https://nowhere.invalid/file' }).end(),
    );
    server.answers.set('/other', (_request, response) => response.end('x'));
    const download = create();
    expect(await fetchWith(download, server.url('/file'))).toMatchObject({ ok: false });
    expect(await fetchWith(download, server.url('/file'))).toMatchObject({ knownBefore: true });
    expect(await fetchWith(download, server.url('/other'))).toMatchObject({ ok: true });
  });
});

it('trusts the authorities of NODE_EXTRA_CA_CERTS', async () => {
  server.answers.set('/file', (_request, response) => response.end('trusted'));
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, server.ca);
  const script = `
    import { createDownload } from ${JSON.stringify(join(PROJECT, 'lab/drivers/network/download.ts'))};
    const [url, file] = process.argv.slice(-2);
    const signal = new AbortController().signal;
    console.log(JSON.stringify(await createDownload()(url, file, { signal, timeoutMs: 10_000 })));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', script, '--', server.url('/file'), file()],
    { cwd: PROJECT, env: { ...process.env, NODE_EXTRA_CA_CERTS: ca } },
  );
  expect(JSON.parse(stdout)).toEqual({ ok: true, bytes: 7 });
});
