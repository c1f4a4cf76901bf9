import { createWriteStream, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Download, DownloadResult } from '../../model/components/components.ts';
import { InterruptedError } from '../../model/errors/errors.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';

/** dl.k8s.io and github.com send a client on once. */
const MAX_REDIRECTS = 5;

/** What only a test sets. */
export interface DownloadOptions {
  /** Certificates that are trusted in addition to those of Node and of NODE_EXTRA_CA_CERTS. */
  readonly ca?: string;
  readonly answerMs?: number;
  readonly stallMs?: number;
}

/** A host did not answer: no name, nobody listens, no certificate that is trusted, or too slow to begin. */
class Unanswered extends Error {
  readonly host: string;
  constructor(host: string, why: string) {
    super(why);
    this.host = host;
  }
}

/**
 * Makes a function that saves what an HTTPS URL answers to a file; redirects to HTTPS are followed. It remembers the
 * hosts that did not answer, and does not ask them again: a machine without a way out pays for that once, in seconds.
 *
 * Each call throws InterruptedError when its signal fires, and whatever writing the file throws.
 */
export function createDownload(options: DownloadOptions = {}): Download {
  const silent = new Map<string, string>();
  // Of each host the first answer, or why there is none: who asks meanwhile waits for it.
  const first = new Map<string, Promise<unknown>>();
  return async (url, file, { signal, timeoutMs }) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const askOnce = async (next: string): Promise<Answer> => {
      const { host } = new URL(next);
      if (first.has(host)) await first.get(host);
      const known = silent.get(host);
      if (known !== undefined) return { host, known };
      const asked = ask(next, limit, options);
      const answered = asked.catch((error: unknown) => {
        if (error instanceof Unanswered && !limit.aborted) silent.set(host, error.message);
      });
      if (!first.has(host)) first.set(host, answered);
      return asked;
    };
    try {
      return await save(url, file, askOnce);
    } catch (error) {
      if (signal.aborted)
        throw new InterruptedError(`interrupted while downloading ${url}`, { cause: error });
      if (isDiskError(error)) throw error;
      if (limit.aborted) return { ok: false, unavailable: `not done after ${timeoutMs / 1000} s` };
      if (!(error instanceof Unanswered)) return { ok: false, unavailable: describeNetworkError(error) };
      return { ok: false, unavailable: `${error.host} does not answer (${error.message})` };
    }
  };
}

/** An answer, or a host that is known not to give one, and why. */
type Answer = IncomingMessage | { readonly host: string; readonly known: string };

async function save(
  url: string,
  file: string,
  askFor: (url: string) => Promise<Answer>,
): Promise<DownloadResult> {
  let next = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await askFor(next);
    if ('known' in answer)
      return {
        ok: false,
        unavailable: `${answer.host} does not answer (${answer.known})`,
        knownBefore: true,
      };
    const { statusCode: status = 0, headers } = answer;
    if (status === 200) return await saveBody(answer, file);
    answer.destroy();
    if (status < 300 || status >= 400 || headers.location === undefined)
      return { ok: false, unavailable: `HTTP ${status}` };
    next = new URL(headers.location, next).href;
    if (!next.startsWith('https:'))
      return { ok: false, unavailable: `it is redirected to ${next}, which is not HTTPS` };
  }
  return { ok: false, unavailable: `more than ${MAX_REDIRECTS} redirects` };
}

async function saveBody(answer: IncomingMessage, file: string): Promise<DownloadResult> {
  try {
    await pipeline(answer, createWriteStream(file));
  } catch (error) {
    if (isDiskError(error)) throw error;
    throw new Error(`cut off: ${describeNetworkError(error)}`, { cause: error });
  }
  return { ok: true, bytes: statSync(file).size };
}

/** Sends one request, on a connection of its own; resolves when the answer begins. */
function ask(url: string, signal: AbortSignal, options: DownloadOptions): Promise<IncomingMessage> {
  const {
    answerMs = TIME_LIMITS.build.downloadBegins.ms,
    stallMs = TIME_LIMITS.build.downloadStalls.ms,
    ca,
  } = options;
  const { host } = new URL(url);
  return new Promise((done, fail) => {
    const request = get(url, { agent: false, signal, timeout: stallMs, ...(ca === undefined ? {} : { ca }) });
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${answerMs / 1000} s`)),
      answerMs,
    );
    request.on('timeout', () => request.destroy(new Error(`nothing came for ${stallMs / 1000} s`)));
    request.on('response', (answer) => {
      clearTimeout(timer);
      done(answer);
    });
    request.on('error', (error) => {
      clearTimeout(timer);
      fail(new Unanswered(host, describeNetworkError(error)));
    });
  });
}

function isDiskError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string' && 'path' in (error as object);
}

/** Why there was no whole answer. Both addresses of a host may refuse: then the error is empty, and holds one for each. */
export function describeNetworkError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeNetworkError).join(', ');
  return error instanceof Error ? error.message : String(error);
}
