/**
 * How long judging takes as the logs grow: a real capture whose kernel log and journals are made 20 and 200 MB long by
 * lines about others. Prints MB/s, the memory it took, and how much longer a megabyte takes in the larger one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCellFolder } from '../lab/drivers/files/cell-folder.ts';
import type { EvidenceText } from '../lab/evidence/lines.ts';
import { readEvidence } from '../lab/evidence/read-evidence.ts';
import { judgeCell } from '../lab/judge/verdict/judge-cell.ts';
import { InternalError } from '../lab/model/errors/errors.ts';
import type { CellRecord } from '../lab/model/evidence/observation.ts';

/** Result of one size. */
export interface JudgeBenchmark {
  readonly megabytes: number;
  readonly ms: number;
  /** Memory of the process after judging, beyond what it had before, in MB. */
  readonly grownMegabytes: number;
}

const CAPTURE = 'test/fixtures/evidence/oom-single-container';
const MB = 1e6;
/** Shares of the added bytes. The kubelet writes the most. */
const SHARES: Readonly<Record<string, number>> = {
  'node-1/kubelet.jsonl': 0.6,
  'node-1/containerd.jsonl': 0.2,
  'node-1/kmsg.log': 0.2,
};

function journalLine(): string {
  const message = `I1009 08:53:26 640 kubelet.go:2400] "SyncLoop (PLEG): event for pod" ${'x'.repeat(400)}`;
  return `${JSON.stringify({ __REALTIME_TIMESTAMP: '1760000008050000', MESSAGE: message, PRIORITY: '6' })}\n`;
}

/** The file, then so many bytes of lines that tell nothing about the victim, in pieces. */
function enlarge(path: string, content: string, bytes: number): EvidenceText {
  const isKernel = path.endsWith('kmsg.log');
  const lastLine = content.trimEnd().split('\n').at(-1) ?? '';
  let seq = Number(/^\d+,(\d+),/.exec(lastLine)?.[1] ?? 0);
  const micros = /^\d+,\d+,(\d+),/.exec(lastLine)?.[1] ?? '0';
  const piece = (): Buffer => {
    const lines = Array.from({ length: 100 }, () =>
      isKernel
        ? `6,${++seq},${micros},-;IPv6: ADDRCONF(NETDEV_CHANGE): veth${'a'.repeat(60)}: link ready\n`
        : journalLine(),
    );
    return Buffer.from(lines.join(''));
  };
  return {
    chunks: function* () {
      yield Buffer.from(content);
      for (let sent = 0; sent < bytes;) {
        const more = piece();
        sent += more.length;
        yield more;
      }
    },
  };
}

function measure(folder: string, megabytes: number): JudgeBenchmark {
  const record = JSON.parse(readFileSync(join(folder, 'cell.json'), 'utf8')) as CellRecord;
  const files = new Map<string, EvidenceText>(openCellFolder(folder));
  for (const [path, share] of Object.entries(SHARES))
    files.set(path, enlarge(path, readFileSync(join(folder, path), 'utf8'), share * megabytes * MB));
  const before = process.memoryUsage().rss;
  const startedAt = performance.now();
  const { attribution } = judgeCell(record, readEvidence(files, record));
  const ms = performance.now() - startedAt;
  if (attribution.killer !== 'memcg-oom')
    throw new InternalError(`the benchmark found ${attribution.killer}`);
  return { megabytes, ms, grownMegabytes: (process.memoryUsage().rss - before) / MB };
}

/** Measures both sizes after a warm-up, prints a line for each and the ratio of the time per megabyte: 1 is linear. */
export function benchmarkJudge(
  projectDir: string,
  print: (line: string) => void,
): { sizes: JudgeBenchmark[]; ratio: number } {
  const folder = join(projectDir, CAPTURE);
  measure(folder, 5);
  const sizes = [20, 200].map((megabytes) => measure(folder, megabytes));
  for (const { megabytes, ms, grownMegabytes } of sizes) {
    const rate = Math.round(megabytes / (ms / 1000));
    print(
      `${megabytes} MB of logs: ${(ms / 1000).toFixed(2)} s, ${rate} MB/s, ${Math.round(grownMegabytes)} MB more memory`,
    );
  }
  const [small, large] = sizes.map(({ megabytes, ms }) => ms / megabytes);
  const ratio = (large ?? NaN) / (small ?? NaN);
  print(`time per MB at 200 MB / at 20 MB: ${ratio.toFixed(2)}`);
  return { sizes, ratio };
}
