import type { BundleFile } from '../../evidence/bundle/collected.ts';
import type { LineSieve } from '../../evidence/line-sieve.ts';
import { linesOfStream } from '../../evidence/lines.ts';
import { readBundle } from '../../evidence/bundle/read-bundle.ts';
import { LabError } from '../../model/errors/errors.ts';
import { ENCODING_HEAD_BYTES, findEncoding, toUtf8 } from '../../model/files/text-encoding.ts';
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
    const bundle = await readBundle(open(files), options);
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

async function* open(files: WorkerQuestion['files']): AsyncGenerator<BundleFile> {
  for (const { path, content } of files) {
    const sieve: LineSieve = { pattern: undefined };
    yield { path, lines: linesOfStream(pieces(path, content), sieve), sieve };
  }
}

/** A file that gzip packed is unpacked by the browser. Text of any encoding is given as UTF-8. */
async function* pieces(path: string, content: Blob): AsyncGenerator<Uint8Array> {
  const encoding = findEncoding(await headOf(unzip(path, content)));
  yield* toUtf8(encoding === 'utf-32' ? undefined : encoding, readAll(unzip(path, content)));
}

function unzip(path: string, content: Blob): ReadableStream<Uint8Array> {
  const stream = content.stream();
  return path.endsWith('.gz') ? stream.pipeThrough(new DecompressionStream('gzip')) : stream;
}

async function headOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  for await (const piece of readAll(stream)) return piece.subarray(0, ENCODING_HEAD_BYTES);
  return new Uint8Array();
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
