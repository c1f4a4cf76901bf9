import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RegistrySession } from '../../../../lab/drivers/remote/registry-session.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const credentials = async () => ({ user: 'builder', password: 'secret' });
const WANTED = { method: 'GET', maxBytes: 1000 } as const;
const { signal } = new AbortController();

const sessionAt = (host: string): RegistrySession => {
  const address = { host, origin: `http://${host}`, repository: 'cache', title: host };
  return new RegistrySession(address, credentials);
};

describe('a registry that sends a client elsewhere', () => {
  it('has the login, and the other host never sees it, whatever that asks for', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    const own: (string | undefined)[] = [];
    const host = await serve(({ headers }, response) => {
      own.push(headers.authorization);
      if (headers.authorization === undefined)
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      else response.writeHead(307, { location: `http://${other}/blob` }).end();
    });
    const session = sessionAt(host);
    await expect(session.follow(session.urlOf('blobs/x'), WANTED, signal)).rejects.toMatchObject({
      code: 'LAB_REMOTE_CACHE',
    });
    expect(own.at(-1)).toMatch(/^Basic /);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(Boolean)).toEqual([]);
  });

  it('is left after a few steps in a circle', async () => {
    const host = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    const session = sessionAt(host);
    await expect(session.follow(session.urlOf('blobs/x'), WANTED, signal)).rejects.toMatchObject({
      lastSeen: expect.stringContaining('redirects') as string,
    });
  });

  it.each([
    ['more than is wanted', (response: ServerResponse) => response.end('x'.repeat(5000))],
    [
      'less than it promised',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '900' });
        response.write('x');
        setTimeout(() => response.destroy(), 10);
      },
    ],
  ])('or gives %s is refused', async (_, answer) => {
    const host = await serve((__, response) => void answer(response));
    const session = sessionAt(host);
    await expect(session.follow(session.urlOf('blobs/x'), WANTED, signal)).rejects.toMatchObject({
      code: 'LAB_REMOTE_CACHE',
    });
  });
});
