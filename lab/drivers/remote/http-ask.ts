import * as http from 'node:http';
import * as https from 'node:https';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';

/** One request; its body, when there is one, is sent whole. */
export interface HttpAsk {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** A longer answer is an error. */
  readonly maxBytes: number;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a person may read of a URL: queries hold signatures and states. */
export function showUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/**
 * Sends a request and reads its answer. It follows no redirect.
 *
 * @throws Error with the reason when there is no whole answer; its message has neither credentials nor a query.
 */
export async function askHttp(url: URL, ask: HttpAsk, signal: AbortSignal): Promise<HttpAnswer> {
  const answer = await begin(url, ask, signal);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > ask.maxBytes) {
      answer.destroy();
      throw new Error(`more than ${ask.maxBytes} bytes came`);
    }
    pieces.push(piece);
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) };
}

/** Resolves when the answer begins. A body may take as long as it moves. */
function begin(url: URL, ask: HttpAsk, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { downloadBegins, downloadStalls } = TIME_LIMITS.build;
  const { request: open } = url.protocol === 'https:' ? https : http;
  const { method, headers = {}, body } = ask;
  return new Promise((done, fail) => {
    const request = open(url, { method, headers, signal, timeout: downloadStalls.ms });
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${downloadBegins.ms / 1000} s`)),
      downloadBegins.ms,
    );
    // Of a body only the connection has to come at once.
    if (body !== undefined)
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => clearTimeout(timer));
        else clearTimeout(timer);
      });
    request.on('timeout', () =>
      request.destroy(new Error(`nothing came for ${downloadStalls.ms / 1000} s`)),
    );
    request.on('response', (answer) => {
      clearTimeout(timer);
      done(answer);
    });
    request.on('error', (error) => {
      clearTimeout(timer);
      fail(error);
    });
    request.end(body);
  });
}
