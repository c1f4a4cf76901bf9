import { createWriteStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InterruptedError } from '../model/errors.ts';
import type { Download } from '../model/components.ts';

/**
 * Saves what a URL answers to a file; redirects are followed. A refused connection, an HTTP error, a time-out and a
 * body that is cut short are answers (`unavailable`), not exceptions.
 *
 * @throws InterruptedError when the signal fires, and whatever writing the file throws.
 */
export const downloadFile: Download = async (url, file, options) => {
  const limit = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  try {
    const response = await fetch(url, { signal: limit });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return { ok: false, unavailable: `HTTP ${response.status}` };
    }
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    return checkLength(response, statSync(file).size);
  } catch (error) {
    if (options.signal.aborted)
      throw new InterruptedError(`interrupted while downloading ${url}`, { cause: error });
    if (isDiskError(error)) throw error;
    return { ok: false, unavailable: describe(error) };
  }
};

function checkLength(response: Response, bytes: number): Awaited<ReturnType<Download>> {
  const told = response.headers.get('content-length');
  // With a content encoding the length told is that of the encoded bytes.
  const expected = told === null || response.headers.has('content-encoding') ? bytes : Number(told);
  return bytes === expected
    ? { ok: true, bytes }
    : { ok: false, unavailable: `cut short: ${bytes} of ${expected} bytes` };
}

function isDiskError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).syscall === 'string' && 'path' in (error as object);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
