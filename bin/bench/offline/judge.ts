/**
 * How long judging takes as the logs grow: a real capture whose kernel log and journals are made 20 and 200 MB long by
 * lines about others. Prints MB/s, the memory it took, and how much longer a megabyte takes in the larger one. With another
 * checkout of the project, its judge and this one take turns.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatRow, median, seconds } from '../numbers.ts';
import { openCellFolder } from '../../../lab/drivers/files/cell-folder.ts';
import type { EvidenceText } from '../../../lab/evidence/lines.ts';
import { readEvidence } from '../../../lab/evidence/read-evidence.ts';
import { judgeCell } from '../../../lab/judge/verdict/judge-cell.ts';
import { InternalError } from '../../../lab/model/errors/errors.ts';
import type { CellRecord } from '../../../lab/model/evidence/observation.ts';

/** Result of one size. */
export interface JudgeBenchmark {
  readonly megabytes: number;
  readonly ms: number;
  /** Memory of the process after judging, beyond what it had before, in MB. */
  readonly grownMegabytes: number;
}

const CAPTURES = 'test/fixtures/evidence';
const CAPTURE = join(CAPTURES, 'oom-single-container');
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

/** A judge, of this checkout or of another one. */
interface Judge {
  readonly readEvidence: typeof readEvidence;
  readonly judgeCell: typeof judgeCell;
}

/** A cell in memory. */
interface Cell {
  readonly record: CellRecord;
  readonly files: ReadonlyMap<string, EvidenceText>;
}

function openCell(folder: string): Cell {
  const record = JSON.parse(readFileSync(join(folder, 'cell.json'), 'utf8')) as CellRecord;
  return { record, files: openCellFolder(folder) };
}

function openLargeCell(folder: string, megabytes: number): Cell {
  const { record, files } = openCell(folder);
  const large = new Map<string, EvidenceText>(files);
  for (const [path, share] of Object.entries(SHARES))
    large.set(path, enlarge(path, readFileSync(join(folder, path), 'utf8'), share * megabytes * MB));
  return { record, files: large };
}

function measure(folder: string, megabytes: number): JudgeBenchmark {
  const { record, files } = openLargeCell(folder, megabytes);
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

/** Rounds in which the two judges take turns; the median counts. */
const ROUNDS = 9;
/** Beyond this the judge has become slower. A ratio of equals differs from 1 by as much from run to run. */
const NOT_SLOWER = 1.05;

/**
 * Judges the same cells by this judge and by that of another checkout, in turns, and prints the ratios of the medians: all
 * captures, then one with large logs. The captures are those of this checkout.
 */
export async function compareJudges(
  projectDir: string,
  other: string,
  print: (line: string) => void,
): Promise<void> {
  const folder = join(projectDir, CAPTURES);
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const captures = names.map(({ name }) => openCell(join(folder, name)));
  const judges = [{ readEvidence, judgeCell }, await loadJudge(other)] as const;
  const large = openLargeCell(join(projectDir, CAPTURE), 20);
  const work: readonly (readonly [what: string, cells: readonly Cell[]])[] = [
    [`${String(captures.length)} captures judged, this judge / the other`, captures],
    ['a cell with 20 MB of logs, this judge / the other', [large]],
  ];
  for (const [what, cells] of work) {
    const [ours, bare] = takeTurns(judges, cells);
    print(formatRow({ what, ours: seconds(ours), bare: seconds(bare), target: NOT_SLOWER, unit: 's' }));
  }
}

async function loadJudge(checkout: string): Promise<Judge> {
  const load = async <T>(path: string): Promise<T> =>
    (await import(pathToFileURL(resolve(checkout, path)).href)) as T;
  const { readEvidence } = await load<Judge>('lab/evidence/read-evidence.ts');
  const { judgeCell } = await load<Judge>('lab/judge/verdict/judge-cell.ts');
  return { readEvidence, judgeCell };
}

/** The median time of each judge, in ms. Every other round the second one begins. */
function takeTurns(
  [ours, other]: readonly [Judge, Judge],
  cells: readonly Cell[],
): readonly [ours: number, other: number] {
  const times = { ours: [] as number[], other: [] as number[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const turns = [
      { judge: ours, ms: times.ours },
      { judge: other, ms: times.other },
    ];
    for (const { judge, ms } of round % 2 === 0 ? turns : turns.reverse()) {
      const took = timeOf(judge, cells);
      // The first round warms up.
      if (round >= 0) ms.push(took);
    }
  }
  return [median(times.ours), median(times.other)];
}

/** The processor time, in ms: the time on the clock would also count what else the host does. */
function timeOf({ readEvidence, judgeCell }: Judge, cells: readonly Cell[]): number {
  const before = process.cpuUsage();
  for (const { record, files } of cells) judgeCell(record, readEvidence(files, record));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
