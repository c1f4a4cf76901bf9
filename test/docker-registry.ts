import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { createSign, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { findTool } from '../lab/drivers/host/host-facts.ts';
import { endProcess } from './child-processes.ts';
import { makeIdentity } from './https-server.ts';

/** Why tests with Debian's registry do not run here; undefined where they do. */
export const lacksRegistry = ['docker-registry', 'htpasswd', 'openssl'].some(
  (name) => findTool(name, process.env.PATH ?? '') === undefined,
)
  ? 'there is no docker-registry: apt-get install docker-registry apache2-utils openssl'
  : undefined;

/** Debian's docker-registry, on 127.0.0.1. */
export interface DockerRegistry {
  /** With its port. */
  readonly host: string;
  /** The value of WHODUNIT_REMOTE_CACHE. */
  readonly address: string;
  /** Where its blobs are. */
  readonly blobs: string;
  /** Digests of the blobs that it has, without `sha256:`. */
  listBlobs(): string[];
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** How a registry is started. */
export interface RegistryOptions {
  /** Paths of a certificate and its key: HTTPS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** The part of its configuration about `auth:`, indented. */
  readonly auth?: string;
}

/** Starts a registry with its files in a folder. */
export async function startDockerRegistry(
  folder: string,
  { tls, auth }: RegistryOptions = {},
): Promise<DockerRegistry> {
  const data = join(folder, 'registry');
  mkdirSync(data, { recursive: true });
  const config = join(folder, 'registry.yml');
  const files = tls === undefined ? '' : `  tls: { certificate: ${tls.certificate}, key: ${tls.key} }\n`;
  writeFileSync(
    config,
    `version: 0.1
log: { level: info, accesslog: { disabled: true } }
storage: { filesystem: { rootdirectory: ${data} } }
http:
  addr: 127.0.0.1:0
  secret: test
${files}${auth ?? ''}`,
  );
  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const host = await readAddress(child);
  const blobs = join(data, 'docker/registry/v2/blobs/sha256');
  return {
    host,
    address: `${tls === undefined ? 'oci+http' : 'oci'}://${host}/team/cache`,
    blobs,
    listBlobs: () => listBlobs(blobs),
    kill: () => endProcess(child),
  };
}

/** The part of a configuration for one user with a password. */
export function basicAuth(folder: string, user: string, password: string): string {
  const file = join(folder, 'htpasswd');
  writeFileSync(file, execFileSync('htpasswd', ['-Bbn', user, password]));
  return `auth: { htpasswd: { realm: test, path: ${file} } }\n`;
}

/** An authority that gives tokens to one user, and what it was asked. */
export interface TokenAuthority {
  /** The part of a registry's configuration that names it. */
  readonly auth: string;
  /** Scopes that tokens were given for. */
  readonly scopes: string[];
  close(): void;
}

/** Starts an authority (https://distribution.github.io/distribution/spec/auth/jwt/). */
export async function startTokenAuthority(
  folder: string,
  user: string,
  password: string,
): Promise<TokenAuthority> {
  const { ca, cert, key } = makeIdentity();
  writeFileSync(join(folder, 'authority.pem'), ca);
  const scopes: string[] = [];
  const right = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = createHttpServer((request, response) => {
    const scope = new URL(request.url ?? '', 'http://x').searchParams.get('scope') ?? '';
    if (request.headers.authorization !== right) return void response.writeHead(401).end();
    scopes.push(scope);
    response.end(JSON.stringify({ token: signToken(scope, cert, key) }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const token = `realm: http://127.0.0.1:${port}/token, service: cache, issuer: test`;
  return {
    auth: `auth: { token: { ${token}, rootcertbundle: ${join(folder, 'authority.pem')} } }\n`,
    scopes,
    close: () => void server.close(),
  };
}

function signToken(scope: string, cert: string, key: string): string {
  const [type, name, actions = ''] = scope.split(':');
  const nowS = Math.floor(Date.now() / 1000);
  const x5c = [cert.replace(/-----[A-Z ]+-----|\s/g, '')];
  const claims = {
    iss: 'test',
    sub: 'user',
    aud: 'cache',
    exp: nowS + 300,
    nbf: nowS - 60,
    iat: nowS,
    jti: randomUUID(),
    access: [{ type, name, actions: actions.split(',') }],
  };
  const text = [{ alg: 'ES256', typ: 'JWT', x5c }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function listBlobs(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name === 'data')
      .map(({ parentPath }) => parentPath.slice(-64));
  } catch {
    return []; // nothing was sent yet
  }
}

/** Where a registry listens. At port 0 Linux chooses one: nobody can take it before the registry does. */
function readAddress(child: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  let said = '';
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', () => fail(new Error(`docker-registry ended: ${said}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const host = /msg="listening on ([\d.]+:\d+)[",]/.exec(said)?.[1];
      if (host !== undefined) done(host);
    });
  });
}
