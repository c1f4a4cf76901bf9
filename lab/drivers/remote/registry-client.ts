import { HostError, InterruptedError } from '../../model/errors/errors.ts';
import { describeNetworkError } from '../network/download.ts';
import type { RemoteAddress } from './address.ts';
import type { Credentials } from './docker-credentials.ts';
import { askHttp, showUrl, type HttpAnswer, type HttpAsk } from './http-ask.ts';
import { answerChallenge, RefusedLogin } from './registry-login.ts';

/** Answers without a blob or a manifest: errors, and redirects. */
const MAX_SMALL_ANSWER = 1024 * 1024;
/** A registry may send a client to the store that holds its blobs. */
const MAX_REDIRECTS = 5;
/** A manifest that is larger is refused by registries too (4 MiB). */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** What a manifest of OCI 1.0 is; registries that know no artefacts take it too. */
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** One repository of a registry (https://github.com/opencontainers/distribution-spec/blob/main/spec.md). */
export interface RegistryClient {
  hasManifest(tag: string, signal: AbortSignal): Promise<boolean>;
  findManifest(tag: string, signal: AbortSignal): Promise<Buffer | undefined>;
  hasBlob(digest: string, signal: AbortSignal): Promise<boolean>;
  /** Undefined when it is not there. Whoever calls checks the digest. */
  findBlob(digest: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>;
  putBlob(digest: string, content: Buffer, signal: AbortSignal): Promise<void>;
  putManifest(tag: string, content: Buffer, signal: AbortSignal): Promise<void>;
}

/**
 * Opens a repository. Each call throws HostError LAB_REMOTE_CACHE when the registry does not answer or refuses, and
 * InterruptedError when its signal fires; neither has a secret in it.
 */
export function openRegistry(
  { origin, host, repository, title }: RemoteAddress,
  getCredentials: () => Promise<Credentials | undefined>,
): RegistryClient {
  // Tokens differ between who reads and who writes.
  const logins = new Map<'read' | 'write', string>();
  const urlOf = (path: string): URL => new URL(`/v2/${repository}/${path}`, origin);

  const failure = (url: URL, why: string, tryNext?: string): HostError =>
    new HostError('LAB_REMOTE_CACHE', `the remote cache ${title} cannot be used`, {
      lastSeen: `${showUrl(url)}: ${why}`,
      tryNext: tryNext ?? 'check WHODUNIT_REMOTE_CACHE and the network',
    });

  const login = async (answer: HttpAnswer, url: URL, kind: 'read' | 'write', signal: AbortSignal) => {
    const header = answer.headers['www-authenticate'] ?? '';
    logins.set(kind, await answerChallenge(header, url, await getCredentials(), signal));
  };

  const askOnce = async (url: URL, ask: HttpAsk, signal: AbortSignal): Promise<HttpAnswer> => {
    const kind = ask.method === 'GET' || ask.method === 'HEAD' ? 'read' : 'write';
    const send = (): Promise<HttpAnswer> => {
      // Whom a registry sends us to must not see what we say to the registry.
      const authorization = url.host === host ? logins.get(kind) : undefined;
      return askHttp(
        url,
        { ...ask, headers: { ...ask.headers, ...(authorization === undefined ? {} : { authorization }) } },
        signal,
      );
    };
    const answer = await send();
    if (answer.status !== 401 || url.host !== host) return answer;
    // Also a token that was good has its end.
    await login(answer, url, kind, signal);
    return send();
  };

  /** Sends a request, and once more when its connection breaks: one that was kept open may be closed by then. */
  const ask = async (url: URL, wanted: HttpAsk, signal: AbortSignal, isAgain = false): Promise<HttpAnswer> => {
    try {
      const answer = await askOnce(url, wanted, signal);
      if (answer.status === 401 || answer.status === 403)
        throw new RefusedLogin(`HTTP ${answer.status}${reasonOf(answer)}`);
      return answer;
    } catch (error) {
      if (signal.aborted) throw new InterruptedError('interrupted', { cause: error });
      if (error instanceof RefusedLogin)
        throw failure(url, error.message, `docker login ${host}, or ask for the right to use ${repository}`);
      if (isAgain || !isBroken(error)) throw failure(url, describeNetworkError(error));
      return ask(url, wanted, signal, true);
    }
  };

  const follow = async (url: URL, wanted: HttpAsk, signal: AbortSignal): Promise<HttpAnswer> => {
    let next = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await ask(next, wanted, signal);
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      next = new URL(location, next);
      if (url.protocol === 'https:' && next.protocol !== 'https:')
        throw failure(url, `it is redirected to ${showUrl(next)}, which is not HTTPS`);
    }
    throw failure(url, `more than ${MAX_REDIRECTS} redirects`);
  };

  const expectStatus = (url: URL, answer: HttpAnswer, statuses: readonly number[]): void => {
    if (!statuses.includes(answer.status)) throw failure(url, `HTTP ${answer.status}${reasonOf(answer)}`);
  };

  const find = async (path: string, wanted: HttpAsk, signal: AbortSignal): Promise<Buffer | undefined> => {
    const url = urlOf(path);
    const answer = await follow(url, wanted, signal);
    if (answer.status === 404) return undefined;
    expectStatus(url, answer, [200]);
    return answer.body;
  };

  const headers = { accept: MANIFEST_TYPE };
  return {
    hasManifest: async (tag, signal) =>
      (await find(`manifests/${tag}`, { method: 'HEAD', headers, maxBytes: MAX_SMALL_ANSWER }, signal)) !==
      undefined,
    findManifest: (tag, signal) =>
      find(`manifests/${tag}`, { method: 'GET', headers, maxBytes: MAX_MANIFEST_BYTES }, signal),
    hasBlob: async (digest, signal) =>
      (await find(`blobs/${digest}`, { method: 'HEAD', maxBytes: MAX_SMALL_ANSWER }, signal)) !== undefined,
    findBlob: (digest, maxBytes, signal) =>
      find(`blobs/${digest}`, { method: 'GET', maxBytes: Math.max(maxBytes, MAX_SMALL_ANSWER) }, signal),
    putBlob: async (digest, content, signal) => {
      const begin = urlOf('blobs/uploads/');
      const begun = await ask(begin, { method: 'POST', maxBytes: MAX_SMALL_ANSWER }, signal);
      expectStatus(begin, begun, [202]);
      const url = new URL(begun.headers.location ?? '', begin);
      url.searchParams.set('digest', digest);
      const type = { 'content-type': 'application/octet-stream' };
      const put = { method: 'PUT', headers: type, body: content, maxBytes: MAX_SMALL_ANSWER } as const;
      expectStatus(url, await ask(url, put, signal), [201, 202]);
    },
    putManifest: async (tag, content, signal) => {
      const url = urlOf(`manifests/${tag}`);
      const type = { 'content-type': MANIFEST_TYPE };
      const put = { method: 'PUT', headers: type, body: content, maxBytes: MAX_SMALL_ANSWER } as const;
      expectStatus(url, await ask(url, put, signal), [201]);
    },
  };
}

/** Whether a connection broke that had been there, so that a second try may do. */
function isBroken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** What a registry says in its answer: `, DENIED: requested access to the resource is denied`. */
function reasonOf({ body }: HttpAnswer): string {
  const [, code] = /"code"\s*:\s*"([A-Z_]{1,60})"/.exec(body.toString('utf8')) ?? [];
  return code === undefined ? '' : `, ${code}`;
}
