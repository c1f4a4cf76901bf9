import { findContainer, HEAD_BYTES } from '../../model/evidence/packed-files.ts';
import type { BundleFile } from '../../evidence/bundle/collected.ts';
import type { LineSieve } from '../../evidence/line-sieve.ts';
import { linesOfStream } from '../../evidence/lines.ts';
import { readBundle } from '../../evidence/bundle/read-bundle.ts';
import { LabError, UsageError } from '../../model/errors/errors.ts';
import { toUtf8 } from '../../model/files/text-encoding.ts';
import { plainJson } from '../../model/text/plain-text.ts';
import { renderDeathHtml, renderDeathsHtml } from '../../report/page/autopsy-page.ts';
import { answer } from '../answer.ts';
import type { WorkerQuestion, WorkerAnswer } from './messages.ts';

/** Reads and judges beside the page, which stays responsive. It has no network: the page forbids it. */
self.onmessage = (message: MessageEvent<WorkerQuestion>): void => {
  void answerAsked(message.data).then((answered) => self.postMessage(answered));
};

async function answerAsked({ files, question, options }: WorkerQuestion): Promise<WorkerAnswer> {
  try {
    const looked = await Promise.all(files.map(look));
    refusePacked(looked);
    const bundle = await readBundle(open(looked), options);
    const autopsy = answer(bundle, question);
    const [first] = autopsy.deaths;
    const shown =
      question.isList === true || first === undefined
        ? renderDeathsHtml(autopsy)
        : renderDeathHtml(first, autopsy);
    return { html: shown.text, json: plainJson(JSON.stringify(autopsy, null, 2)), deaths: autopsy.deaths };
  } catch (error) {
    if (error instanceof LabError) return { problem: error.message };
    return {
      problem: `this is a bug in whodunit: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    };
  }
}

/** A file, and what its first bytes say. */
interface LookedAt {
  readonly path: string;
  /** Its bytes, unpacked if gzip packed them. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** What it is, unpacked; undefined when its bytes are read as they are. */
  readonly container: ReturnType<typeof findContainer>;
}

/** Looks at the first bytes of a file. What gzip packed is unpacked by the browser, whatever its name is. */
async function look({ path, content }: WorkerQuestion['files'][number]): Promise<LookedAt> {
  const plain = (): AsyncIterable<Uint8Array> => readAll(content.stream());
  const packed = findContainer(await headOf(plain()));
  if (packed?.is !== 'gzip') return { path, read: plain, container: packed };
  const read = (): AsyncIterable<Uint8Array> =>
    unpack(path, content.stream().pipeThrough(new DecompressionStream('gzip')));
  return { path, read, container: findContainer(await headOf(read())) };
}

/** What the command unpacks and a browser does not. */
const PACKED: readonly string[] = ['tar', 'zip', 'xz', 'zstd', 'journal'];

/**
 * A browser unpacks gzip and nothing else: in what other programs packed, no line would be found.
 *
 * @throws UsageError with every such file.
 */
function refusePacked(files: readonly LookedAt[]): void {
  const packed = files.filter(({ container }) => container !== undefined && PACKED.includes(container.is));
  if (packed.length === 0) return;
  const words = packed.map(({ path }) => path).join(' ');
  throw new UsageError(
    `a browser cannot unpack ${words}\nunpack it first, or ask the command: npx whodunit autopsy ${words}`,
  );
}

/** Text of any encoding is given as UTF-8. */
async function* open(files: readonly LookedAt[]): AsyncGenerator<BundleFile> {
  for (const { path, read, container } of files) {
    const encoding = container?.is === 'text' ? container.encoding : undefined;
    const sieve: LineSieve = { pattern: undefined };
    yield { path, lines: linesOfStream(toUtf8(encoding, read()), sieve), sieve };
  }
}

/** The first bytes, from as many pieces as they come in. */
async function headOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const piece of pieces) {
    head = Buffer.concat([head, piece]);
    if (head.length >= HEAD_BYTES) break;
  }
  return head.subarray(0, HEAD_BYTES);
}

/** Of Chromium, Firefox and Node. */
const ENDS_EARLY = /truncated|unexpected (?:end|eof)|without reaching the stream end/i;

/**
 * What gzip packed. A browser forgets what it unpacked before a fault, so nothing is read of a file that is cut off.
 *
 * @throws UsageError when it is cut off or damaged.
 */
async function* unpack(path: string, unpacked: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* readAll(unpacked);
  } catch (error) {
    // Any other error is of the file itself.
    if (!(error instanceof TypeError)) throw error;
    const fault = ENDS_EARLY.test(error.message) ? 'is cut off' : 'is cut off or damaged';
    throw new UsageError(
      `${path} ${fault}: gzip cannot unpack it to its end\ncopy it again, or ask the command, which reads what there is: npx whodunit autopsy ${path}`,
    );
  }
}

async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
