/**
 * How long an autopsy of a large bundle takes beside unpacking the same archive and looking for words in it with grep: a
 * real journal of a node, made longer by lines about other things. Times are of the processor: the time on
 * the clock would also count what else the host does.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatRow } from '../numbers.ts';
import { InternalError } from '../../../lab/model/errors/errors.ts';

const BUNDLE = 'test/fixtures/pastes/p03-child-oom-journal/input';
const LOG = 'journal.txt';
const MB = 1e6;
/** What people look for. */
const WORDS = 'oom|OOM|Killed process|exit event|SyncLoop|Evict';
const NOT_SLOWER = 1.5;
const MOST_MIB = 300;
const LOOK_MS = 50;

/** Prints the times of both, their ratio and the memory of the autopsy, for 20 and for 200 MB. */
export async function benchmarkAutopsy(projectDir: string, print: (line: string) => void): Promise<void> {
  for (const megabytes of [20, 200]) {
    const folder = mkdtempSync(join(tmpdir(), 'whodunit-bench-autopsy-'));
    try {
      const archive = pack(projectDir, folder, megabytes);
      const bare = timeOfShell(
        `mkdir ${folder}/unpacked && tar -xzf ${archive} -C ${folder}/unpacked && grep -rcE '${WORDS}' ${folder}/unpacked`,
      );
      const ours = await runAutopsy(projectDir, archive);
      const size = `${megabytes} MB`;
      const what = `autopsy of ${size}, packed / unpacking and grepping it`;
      print(formatRow({ what, ours: ours.seconds, bare, target: NOT_SLOWER, unit: 's' }));
      print(`peak memory of the autopsy of ${size}: ${ours.peakMiB} MiB (at most ${MOST_MIB})`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/** An archive with so many bytes of logs. */
function pack(projectDir: string, folder: string, megabytes: number): string {
  const bundle = join(folder, 'bundle');
  cpSync(join(projectDir, BUNDLE), bundle, { recursive: true });
  const log = join(bundle, LOG);
  const [head = ''] = /^\S+ \S+ /.exec(readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '') ?? [];
  let count = 0;
  const line = (): string =>
    `${head}kubelet[415]: I1121 05:40:00.000000     415 reconciler.go:${++count}] "Volume is mounted" volume="data-${count % 977}" id="${createHash('sha256').update(String(count)).digest('hex')}"\n`;
  for (let written = 0; written < megabytes * MB;) {
    const piece = Array.from({ length: 10_000 }, line).join('');
    appendFileSync(log, piece);
    written += piece.length;
  }
  const archive = join(folder, 'bundle.tar.gz');
  const { status, stderr } = spawnSync('tar', ['-czf', archive, '-C', folder, 'bundle']);
  if (status !== 0) throw new InternalError(`tar could not pack the bundle: ${String(stderr)}`);
  return archive;
}

/** Processor seconds of a line of bash and of all that it starts. */
function timeOfShell(line: string): number {
  const script = `TIMEFORMAT='%U %S'; time { ${line}; } >/dev/null`;
  const { stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  return secondsIn(stderr);
}

function secondsIn(text: string): number {
  const [, user, system] = /([\d.]+) ([\d.]+)\s*$/.exec(text) ?? [];
  if (user === undefined) throw new InternalError(`the benchmark was not timed: ${text}`);
  return Number(user) + Number(system);
}

interface Measured {
  readonly seconds: number;
  readonly peakMiB: number;
}

async function runAutopsy(projectDir: string, archive: string): Promise<Measured> {
  const script = `TIMEFORMAT='%U %S'; time node bin/whodunit.mjs autopsy ${archive} --list --json`;
  const child = spawn('bash', ['-c', script], { cwd: projectDir, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, timed, peakMiB] = ['', '', 0];
  child.stdout.on('data', (piece: Buffer) => (printed += String(piece)));
  child.stderr.on('data', (piece: Buffer) => (timed += String(piece)));
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, peakOfChildren(child.pid))), LOOK_MS);
  await new Promise((done) => child.once('close', done));
  clearInterval(timer);
  if (!printed.includes('"killer": "memcg-oom"'))
    throw new InternalError(`the benchmark found no OOM kill: ${timed}`);
  return { seconds: secondsIn(timed), peakMiB };
}

/** VmHWM only grows: the last look before the end is the peak. */
function peakOfChildren(pid: number | undefined): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return Math.max(...children.map(peakOf));
  } catch {
    return 0; // it ended, or has begun none
  }
}

function peakOf(pid: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}
