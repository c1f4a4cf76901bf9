import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InterruptedError } from '../lab/model/errors.ts';
import type { Guest, GuestResult } from '../lab/model/host.ts';

/** What a fake guest prints; it hangs until its signal fires when the promise never settles. */
export type Answer = (script: string) => string | Promise<string>;

/** A guest for fault tests, with what was asked of it. Its calls end with its signal, as those over SSH do. */
export interface FakeGuest extends Guest {
  readonly asked: string[];
  /** Streams that run: their scripts, and the files that they write. */
  readonly streams: Map<string, string>;
  readonly isClosed: () => boolean;
}

/** Builds a guest; a stream writes what `answer` gives for its script, at once. */
export function createFakeGuest(
  name: string,
  answer: Answer,
  signal: AbortSignal = new AbortController().signal,
  shared: Pick<FakeGuest, 'asked' | 'streams'> = { asked: [], streams: new Map() },
): FakeGuest {
  let closed = false;
  const must = (script: string): Promise<string> => {
    if (signal.aborted) return Promise.reject(new InterruptedError());
    shared.asked.push(script);
    const interrupted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new InterruptedError()), { once: true });
    });
    return Promise.race([Promise.resolve().then(() => answer(script)), interrupted]);
  };
  return {
    ...shared,
    name,
    must,
    script: async (script): Promise<GuestResult> => ({ status: 0, stdout: await must(script), stderr: '' }),
    feed: (command) => must(command),
    writeFile: async (path) => void (await must(`write ${path}`)),
    stream: async (script, localFile) => {
      mkdirSync(dirname(localFile), { recursive: true });
      writeFileSync(localFile, await must(script));
      shared.streams.set(script, localFile);
      return { stop: async () => void shared.streams.delete(script) };
    },
    under: (other) => createFakeGuest(name, answer, other, shared),
    close: () => (closed = true),
    isClosed: () => closed,
  };
}

/** Adds to the file of the stream whose script has these words. */
export function printInStream(guest: Pick<FakeGuest, 'streams'>, words: string, text: string): void {
  const found = [...guest.streams].find(([script]) => script.includes(words));
  if (found === undefined) throw new Error(`no stream runs ${words}`);
  appendFileSync(found[1], text);
}
