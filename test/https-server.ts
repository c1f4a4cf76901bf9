import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key and a certificate of 127.0.0.1 and localhost, and the authority that signed it; all PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** An HTTPS server on 127.0.0.1 with an authority of its own. */
export interface HttpsServer {
  /** The authority that clients have to trust, PEM. */
  readonly ca: string;
  /** What is answered, by path with query; other paths are answered with 404. */
  readonly answers: Map<string, RequestListener>;
  /** The paths that were asked for, in order. */
  readonly requests: string[];
  url(path: string): string;
  /** Breaks every connection and stops listening; twice is once. */
  close(): Promise<void>;
}

let identity: Identity | undefined;

/** Starts a server; the key pair is made once for a process. */
export async function startHttpsServer(): Promise<HttpsServer> {
  identity ??= makeIdentity();
  const { ca, cert, key } = identity;
  const [answers, requests] = [new Map<string, RequestListener>(), [] as string[]];
  const server: Server = createServer({ key, cert }, (request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end('not found');
    else answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    ca,
    answers,
    requests,
    url: (path) => `https://127.0.0.1:${port}${path}`,
    close: async () => {
      server.closeAllConnections();
      if (server.listening) await new Promise((done) => server.close(done));
    },
  };
}

/** Makes both anew. */
export function makeIdentity(): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test authority');
    openssl('req', ...newKey, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=127.0.0.1');
    writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', 'request.pem', ...signed, '-out', 'cert.pem');
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { key: read('key.pem'), cert: read('cert.pem'), ca: read('ca.pem') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
