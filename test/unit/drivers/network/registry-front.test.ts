import { once } from 'node:events';
import { createServer as createHttpServer, get, request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openRegistryFront,
  type RegistryFront,
  type Served,
} from '../../../../lab/drivers/network/registry-front.ts';

const BLOB = Buffer.alloc(192 * 1024, 7);
/** Enough for half of the blob in half a second. */
const SLOW_BYTES_PER_SECOND = 192 * 1024;

let upstream: Server;
let door: Server;
let front: RegistryFront;
let served: Served[];

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  served = [];
  upstream = createHttpServer((asked, answer) => {
    if (!asked.url?.includes('/blobs/')) return void answer.writeHead(404, { 'x-of': 'registry' }).end('no');
    answer.writeHead(200, { 'content-length': BLOB.length }).end(asked.method === 'HEAD' ? undefined : BLOB);
  });
  const port = await listen(upstream);
  front = openRegistryFront({
    port,
    rates: new Map([['slow', SLOW_BYTES_PER_SECOND]]),
    now: () => Date.now(),
    onServed: (answer) => served.push(answer),
  });
  door = createServer((socket) => front.accept('node-1', socket));
  await listen(door);
});
afterEach(async () => {
  await front.close();
  for (const server of [door, upstream]) server.close();
});

const address = (path: string) => ({ port: (door.address() as AddressInfo).port, path, agent: false });

async function fetchBlob(repository: string): Promise<{ body: Buffer; tookMs: number }> {
  const from = performance.now();
  const [answer] = (await once(get(address(`/v2/${repository}/blobs/sha256:a`)), 'response')) as [
    IncomingMessage,
  ];
  return { body: await buffer(answer), tookMs: performance.now() - from };
}

describe('the front of a registry', () => {
  it('hands on what the registry answers, and tells what was asked by whom', async () => {
    const [answer] = (await once(get(address('/v2/a/b/manifests/1')), 'response')) as [IncomingMessage];
    expect(answer).toMatchObject({ statusCode: 404, headers: { 'x-of': 'registry' } });
    expect(String(await buffer(answer))).toBe('no');
    expect((await fetchBlob('quick')).body).toEqual(BLOB);
    const common = { node: 'node-1', method: 'GET', whole: true };
    await expect
      .poll(() => served)
      .toMatchObject([
        { ...common, path: '/v2/a/b/manifests/1', status: 404, bytes: 2 },
        { ...common, path: '/v2/quick/blobs/sha256:a', status: 200, bytes: BLOB.length },
      ]);
  });

  it('gives a slow repository so many bytes a second, for all who ask together, and no other one', async () => {
    const ended: string[] = [];
    const fetchAs = async (name: string, repository: string) => {
      const fetched = await fetchBlob(repository);
      ended.push(name);
      return fetched;
    };
    const [one, two] = await Promise.all([
      fetchAs('slow', 'slow'),
      fetchAs('slow', 'slow'),
      fetchAs('quick', 'quick'),
    ]);
    expect(ended).toEqual(['quick', 'slow', 'slow']);
    expect([one.body.equals(BLOB), two.body.equals(BLOB)]).toEqual([true, true]);
    const seconds = (2 * BLOB.length) / SLOW_BYTES_PER_SECOND;
    expect(Math.max(one.tookMs, two.tookMs)).toBeGreaterThan(seconds * 1000 * 0.99);
  });

  it('lets nobody write', async () => {
    const asked = request({ ...address('/v2/quick/blobs/uploads/'), method: 'POST' }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(405);
  });

  it('answers 502 when there is no registry any more', async () => {
    upstream.close();
    await once(upstream, 'close');
    const [answer] = (await once(get(address('/v2/')), 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(502);
  });

  it('tells of an answer that was cut, and breaks what is left when it closes', async () => {
    const cut = get(address('/v2/slow/blobs/sha256:a'));
    const [begun] = (await once(cut, 'response')) as [IncomingMessage];
    await once(begun, 'data');
    cut.destroy();
    const hanging = get(address('/v2/slow/blobs/sha256:a'));
    const [other] = (await once(hanging, 'response')) as [IncomingMessage];
    const broken = new Promise((resolve) => other.on('error', resolve));
    other.resume();
    await front.close();
    expect(served).toMatchObject([{ whole: false }, { whole: false }]);
    expect(await broken).toMatchObject({ message: 'aborted' });
    expect(other.complete).toBe(false);
    expect(served.every(({ bytes }) => bytes < BLOB.length)).toBe(true);
    const late = get(address('/v2/'));
    await expect(once(late, 'response')).rejects.toThrow();
  });
});
