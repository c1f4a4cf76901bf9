import { request as plainRequest } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';

/** What a plain GET answered. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * GET of a whole address; rejects when nothing answers within `options.timeout`, its signal fires, or the answer is longer
 * than `options.maxBytes`.
 *
 * @param onAnswer is called with the connection as soon as the answer begins.
 */
export function askApi(
  url: string,
  options: RequestOptions & { readonly timeout: number; readonly maxBytes?: number },
  onAnswer?: (socket: Socket) => void,
): Promise<ApiAnswer> {
  const open = url.startsWith('http:') ? plainRequest : request;
  return new Promise((resolve, reject) => {
    const call = open(url, options, (response) => {
      onAnswer?.(response.socket);
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (options.maxBytes !== undefined && bytes > options.maxBytes)
          response.destroy(new Error(`an answer of more than ${options.maxBytes} bytes from ${url}`));
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      response.on('error', reject);
    });
    call.on('timeout', () =>
      call.destroy(new Error(`no answer from ${url} within ${options.timeout / 1000} s`)),
    );
    call.on('error', reject);
    call.end();
  });
}
