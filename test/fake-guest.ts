import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InterruptedError } from '../lab/model/errors/errors.ts';
import type { Guest, GuestResult } from '../lab/model/host/host.ts';

/**
 * What a fake guest prints for a script, for `<command> < <n> bytes` or for `write <path>`. It hangs until its signal
 * fires when the promise never settles.
 */
export type Answer = (script: string) => string | Promise<string>;

/** A guest for fault tests, with what was asked of it. Its calls end with its signal, as those over SSH do. */
export interface FakeGuest extends Guest {
  readonly asked: string[];
  /** Streams that run: their scripts, and the files that they write. */
  readonly streams: Map<string, string>;
  readonly isClosed: () => boolean;
}

/** What guests over the same connection have in common. */
interface FakeConnection extends Pick<FakeGuest, 'asked' | 'streams'> {
  isClosed: boolean;
}

/** Builds a guest; a stream writes what `answer` gives for its script, at once. */
export function createFakeGuest(
  name: string,
  answer: Answer,
  signal: AbortSignal = new AbortController().signal,
  connection: FakeConnection = { asked: [], streams: new Map(), isClosed: false },
): FakeGuest {
  const { asked, streams } = connection;
  const must = (script: string): Promise<string> => {
    if (signal.aborted) return Promise.reject(new InterruptedError());
    asked.push(script);
    const interrupted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new InterruptedError()), { once: true });
    });
    return Promise.race([Promise.resolve().then(() => answer(script)), interrupted]);
  };
  return {
    name,
    asked,
    streams,
    must,
    script: async (script): Promise<GuestResult> => ({ status: 0, stdout: await must(script), stderr: '' }),
    feed: (command, input) => must(`${command} < ${input.length} bytes`),
    writeFile: async (path) => void (await must(`write ${path}`)),
    stream: async (script, localFile) => {
      mkdirSync(dirname(localFile), { recursive: true });
      writeFileSync(localFile, await must(script));
      streams.set(script, localFile);
      return { stop: async () => (streams.delete(script), []) };
    },
    listen: async (port) => void (await must(`listen on ${port}`)),
    under: (other) => createFakeGuest(name, answer, other, connection),
    close: () => (connection.isClosed = true),
    isClosed: () => connection.isClosed,
  };
}

/**
 * A guest that writes down in `told`, behind its name, files, its end, and of a script the piece by which a test knows
 * it. Other scripts are answered with nothing.
 *
 * @param answers what it prints, by the piece; an error is thrown.
 */
export function createToldGuest(
  name: string,
  told: string[],
  answers: Readonly<Record<string, string | Error>> = {},
): FakeGuest {
  const tell = (what: string): void => void told.push(`${name}: ${what}`);
  const guest = createFakeGuest(name, (script) => {
    const file = /^write (.*)$/.exec(script)?.[1];
    if (file !== undefined) tell(file);
    const known = Object.entries(answers).find(([piece]) => script.includes(piece));
    if (known === undefined) return '';
    const [piece, answer] = known;
    tell(piece);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return {
    ...guest,
    close: () => {
      guest.close();
      tell('closed');
    },
  };
}

/** Adds to the file of the stream whose script has these words. */
export function printInStream(guest: Pick<FakeGuest, 'streams'>, words: string, text: string): void {
  const found = [...guest.streams].find(([script]) => script.includes(words));
  if (found === undefined) throw new Error(`no stream runs ${words}`);
  appendFileSync(found[1], text);
}

/** What the samplers of a program print once each has looked; empty for a program without samplers. */
export function printFirstRuns(program: string): string {
  return [...program.matchAll(/^sample ([\w-]+) /gm)]
    .map(([, name = '']) => `{"kind":"run","sampler":"${name}","n":1}\n`)
    .join('');
}
