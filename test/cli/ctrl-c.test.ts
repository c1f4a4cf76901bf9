import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { PROJECT } from './support/run-cli.ts';
import { SAVED_CELL, SAVED_RUN } from './support/verb-lines.ts';

const MEGABYTE = 1_000_000;

/** More than the program reads before its work begins, and less than each input has. */
const BEGUN_BYTES = 45 * MEGABYTE;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-ctrl-c-'));
  for (const name of ['temporary', 'out']) mkdirSync(join(folder, name));
  makeHeavy(join(folder, 'evidence'), join(PROJECT, 'test/fixtures/evidence/oom-single-container'), '');
  const runs = join(PROJECT, 'test/fixtures/run-from-before');
  makeHeavy(join(folder, 'state/runs'), runs, join(SAVED_RUN, 'cells', SAVED_CELL));
  makeReplay(join(folder, 'replay.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Copies evidence, with records of pods that take many seconds to read. */
function makeHeavy(to: string, from: string, cell: string): void {
  cpSync(from, to, { recursive: true });
  const pods = join(to, cell, 'pods.jsonl');
  const once = readFileSync(pods, 'utf8');
  const many = once.repeat(Math.ceil(MEGABYTE / once.length));
  for (let megabytes = 0; megabytes < 150; megabytes += 1) appendFileSync(pods, many);
}

/** Writes a replay of more cells than anybody has, about as large as a replay may be. */
function makeReplay(path: string): void {
  const [head = '', cells = ''] = readFileSync(
    join(PROJECT, 'test/fixtures/small-project/replay.yaml'),
    'utf8',
  ).split(/^cells:\n/m);
  const file = openSync(path, 'w');
  writeSync(file, `${head}cells:\n`);
  const many = cells.repeat(Math.ceil(MEGABYTE / cells.length));
  for (let megabytes = 0; megabytes < 55; megabytes += 1) writeSync(file, many);
  closeSync(file);
}

/** A process of ours, and how it ended. */
interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly end: readonly unknown[]; readonly printed: string }>;
}

function start(words: readonly string[]): Started {
  const child = spawn(process.execPath, [join(PROJECT, 'bin/whodunit.mjs'), ...words], {
    env: {
      ...process.env,
      npm_lifecycle_event: undefined,
      WHODUNIT_HOME: join(folder, 'state'),
      TMPDIR: join(folder, 'temporary'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const ended = new Promise<Awaited<Started['ended']>>((done) =>
    child.once('close', (...end) => done({ end, printed })),
  );
  return { child, ended };
}

/** Until a process has read so much that it works on its input, or has ended. */
async function waitUntilWorks({ pid, exitCode }: ChildProcess): Promise<void> {
  const readBytes = (): number =>
    Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  try {
    while (exitCode === null && readBytes() < BEGUN_BYTES) await pause(2);
  } catch {
    // It has ended, which the test will see.
  }
}

/** Verbs that read what somebody else made, however much it is, and what each would have written at its end. */
const READING: readonly (readonly [readonly string[], string?])[] = [
  [['judge', 'FOLDER/evidence']],
  [['judge', SAVED_RUN]],
  [['check', 'FOLDER/evidence']],
  [['report', SAVED_RUN, '--table']],
  [['export', SAVED_RUN, '--out', 'FOLDER/out/run.tar.gz'], 'out/run.tar.gz'],
  [['autopsy', 'FOLDER/evidence']],
  [['autopsy', 'FOLDER/evidence', '--save', 'FOLDER/out/saved'], 'out/saved'],
  [['repro', 'FOLDER/replay.yaml', '--dry-run']],
];

describe('an interrupt in the middle of work that never waits', () => {
  const lines = READING.flatMap(([words, written]) =>
    (['SIGINT', 'SIGTERM'] as const).slice(0, words[0] === 'judge' ? 2 : 1).map((signal) => ({
      line: words.join(' '),
      words,
      written,
      signal,
    })),
  );

  it.each(lines)(
    '$signal ends `$line`, which holds nothing of the host',
    async ({ words, written, signal }) => {
      const { child, ended } = start(words.map((word) => word.replace('FOLDER', folder)));
      await waitUntilWorks(child);
      child.kill(signal);
      expect(await ended).toEqual({ end: [null, signal], printed: '' });
      if (written !== undefined) expect(existsSync(join(folder, written))).toBe(false);
    },
  );

  it('ends autopsy --kubeconfig when the cluster has answered, and nothing of it is held', async () => {
    const once = JSON.stringify({ involvedObject: { name: 'x', kind: 'Pod' }, message: 'x'.repeat(200) });
    const many = `{"kind": "EventList", "items": [${Array.from({ length: 300_000 }, () => once).join(',')}]}`;
    const pod = { kind: 'Pod', metadata: { name: 'x', namespace: 'default' }, spec: { nodeName: 'node-1' } };
    const server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(url.includes('/events') ? many : JSON.stringify(url.includes('/pods/') ? pod : {}));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const kubeconfig = join(folder, 'kubeconfig.yaml');
    const { port } = server.address() as AddressInfo;
    writeFileSync(
      kubeconfig,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        clusters: [
          { name: 'c', cluster: { 'insecure-skip-tls-verify': true, server: `http://127.0.0.1:${port}` } },
        ],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: {} }],
      }),
    );
    const saved = join(folder, 'out/of-cluster');
    const temporary = join(folder, 'temporary');
    const before = readdirSync(temporary).length;
    const { child, ended } = start(['autopsy', 'default/x', '--kubeconfig', kubeconfig, '--save', saved]);
    // What was collected is kept there while it is judged.
    const isJudged = (): boolean => readdirSync(temporary).length > before;
    while (child.exitCode === null && !isJudged()) await pause(2);
    child.kill('SIGINT');
    expect(await ended).toEqual({ end: [null, 'SIGINT'], printed: '' });
    expect(existsSync(saved)).toBe(false);
    await new Promise((done) => server.close(done));
  });
});
