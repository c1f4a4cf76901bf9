import { HostError, InterruptedError } from '../../model/errors/errors.ts';
import { systemClock } from '../clock.ts';
import { describeNetworkError } from '../network/download.ts';
import type { RemoteAddress } from './address.ts';
import type { Credentials } from './docker-credentials.ts';
import { askHttp, showUrl, type HttpAnswer, type HttpAsk } from './http-ask.ts';
import { answerChallenge, RefusedLogin } from './registry-login.ts';

/** A registry may send a client to the store that holds its blobs. */
const MAX_REDIRECTS = 5;

/** Pauses before a request is sent again. */
const PAUSES_MS = [100, 400, 1_600];

/**
 * The cause of an error that another try may not meet. Docker's registry empties a link before it writes it. Whoever reads
 * it while another client pushes the same entry is answered with 500, or with a digest that is not one.
 */
class TemporaryAnswer extends Error {}

/** Finds what proves to a registry who we are. */
export type GetCredentials = () => Promise<Credentials | undefined>;

/**
 * Talks to a registry: logs in where it is asked to, and says what went wrong. Its methods throw HostError
 * LAB_REMOTE_CACHE when the registry does not answer or refuses, and InterruptedError when the signal fires; neither has a
 * secret in it.
 */
export class RegistrySession {
  readonly #address: RemoteAddress;
  readonly #getCredentials: GetCredentials;
  /** What an Authorization header says; tokens differ between who reads and who writes. */
  readonly #logins = new Map<'read' | 'write', string>();

  constructor(address: RemoteAddress, getCredentials: GetCredentials) {
    this.#address = address;
    this.#getCredentials = getCredentials;
  }

  /** The URL of something in the repository. */
  urlOf(path: string): URL {
    return new URL(`/v2/${this.#address.repository}/${path}`, this.#address.origin);
  }

  /** Sends a request, and once more when its connection breaks: one that was kept open may be closed by then. */
  async ask(url: URL, wanted: HttpAsk, signal: AbortSignal, isAgain = false): Promise<HttpAnswer> {
    const { host, repository } = this.#address;
    try {
      const answer = await this.#askLoggedIn(url, wanted, signal);
      if (answer.status === 401 || answer.status === 403)
        throw new RefusedLogin(`HTTP ${answer.status}${reasonOf(answer)}`);
      return answer;
    } catch (error) {
      if (signal.aborted) throw new InterruptedError('interrupted', { cause: error });
      if (error instanceof RefusedLogin)
        throw this.#failure(
          url,
          error.message,
          `docker login ${host}, or ask for the right to use ${repository}`,
        );
      if (isAgain || !isBroken(error)) throw this.#failure(url, describeNetworkError(error));
      return this.ask(url, wanted, signal, true);
    }
  }

  /** Sends a request that changes nothing, and follows redirects. */
  async follow(url: URL, wanted: HttpAsk, signal: AbortSignal): Promise<HttpAnswer> {
    let next = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await this.ask(next, wanted, signal);
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
      next = new URL(location, next);
      if (url.protocol === 'https:' && next.protocol !== 'https:')
        throw this.#failure(url, `it is redirected to ${showUrl(next)}, which is not HTTPS`);
    }
    throw this.#failure(url, `more than ${MAX_REDIRECTS} redirects`);
  }

  /** Throws HostError LAB_REMOTE_CACHE unless an answer has one of these statuses. */
  expectStatus(url: URL, answer: HttpAnswer, statuses: readonly number[]): void {
    if (statuses.includes(answer.status)) return;
    const code = codeOf(answer);
    const isTemporary = answer.status >= 500 || code === 'DIGEST_INVALID';
    throw this.#failure(
      url,
      `HTTP ${answer.status}${reasonOf(answer)}`,
      undefined,
      isTemporary ? new TemporaryAnswer() : undefined,
    );
  }

  #failure(url: URL, why: string, tryNext?: string, cause?: Error): HostError {
    return new HostError('LAB_REMOTE_CACHE', `the remote cache ${this.#address.title} cannot be used`, {
      lastSeen: `${showUrl(url)}: ${why}`,
      tryNext: tryNext ?? 'check WHODUNIT_REMOTE_CACHE and the network',
      cause,
    });
  }

  async #askLoggedIn(url: URL, wanted: HttpAsk, signal: AbortSignal): Promise<HttpAnswer> {
    const kind = wanted.method === 'GET' || wanted.method === 'HEAD' ? 'read' : 'write';
    // Whom a registry sends us to must not see what we say to the registry.
    const isRegistry = url.host === this.#address.host;
    const send = (): Promise<HttpAnswer> => {
      const authorization = isRegistry ? this.#logins.get(kind) : undefined;
      const login = authorization === undefined ? {} : { authorization };
      return askHttp(url, { ...wanted, headers: { ...wanted.headers, ...login } }, signal);
    };
    const answer = await send();
    if (answer.status !== 401 || !isRegistry) return answer;
    // Also a token that was good has its end.
    const challenge = answer.headers['www-authenticate'] ?? '';
    this.#logins.set(kind, await answerChallenge(challenge, url, await this.#getCredentials(), signal));
    return send();
  }
}

/** Whether a connection broke that had been there, so that a second try may do. */
function isBroken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** What a registry says in its answer: `, DENIED`. */
function reasonOf(answer: HttpAnswer): string {
  const code = codeOf(answer);
  return code === undefined ? '' : `, ${code}`;
}

function codeOf({ body }: HttpAnswer): string | undefined {
  return /"code"\s*:\s*"([A-Z_]{1,60})"/.exec(body.toString('utf8'))?.[1];
}

/** Does what can be done twice, and again while the registry answers what may pass. */
export async function workAgain<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HostError && error.cause instanceof TemporaryAnswer)) throw error;
    }
    await systemClock.sleep(pauseMs, signal);
  }
  return work();
}
