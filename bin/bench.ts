/**
 * `npm run bench`: what the lab adds to the machines it drives, as ratios measured in one run. Times depend on the
 * host; ratios do not, so only ratios have targets.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext } from '../lab/commands/context.ts';
import { connectGuest } from '../lab/drivers/ssh.ts';
import { connectLibvirt, createLibvirt } from '../lab/drivers/libvirt.ts';
import { openKubernetes } from '../lab/drivers/kubernetes.ts';
import { lookAtApi } from '../lab/world/health-gate.ts';
import { findWorldRecord } from '../lab/world/bring-up.ts';
import { READY_SNAPSHOT } from '../lab/world/world-record.ts';
import { statePaths } from '../lab/model/paths.ts';
import { InternalError } from '../lab/model/errors.ts';
import type { RunResult } from '../lab/model/formats.ts';

const exec = promisify(execFile);
const context = createContext(new AbortController().signal);
const home = mkdtempSync(join(tmpdir(), 'whodunit-bench-'));
const env = { ...process.env, WHODUNIT_HOME: home, WHODUNIT_CACHE: context.cacheDir };
/** Restores of the bare comparison; the median is used. */
const RESTORES = 3;

interface Row {
  readonly what: string;
  readonly ours: number;
  readonly bare: number;
  readonly target: number;
}

async function lab(...words: string[]): Promise<{ stdout: string; ms: number }> {
  const startedAt = performance.now();
  const { stdout } = await exec(process.execPath, [join(context.projectDir, 'bin/whodunit.mjs'), ...words], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { stdout, ms: performance.now() - startedAt };
}

/** In-place restore, then the first answers over SSH and from the API, with nothing of the lab around it. */
async function bareRestoreMs(): Promise<number> {
  const record = findWorldRecord(home, 'default');
  const node = record?.nodes[0];
  if (record === undefined || node === undefined) throw new InternalError('the benchmark has no world');
  const libvirt = createLibvirt(context.run, await connectLibvirt(context));
  const startedAt = performance.now();
  await libvirt.loadSnapshotInPlace(node.domain, READY_SNAPSHOT);
  const guest = await connectGuest(
    {
      name: node.name,
      port: node.sshPort,
      privateKey: readFileSync(record.image.sshKey, 'utf8'),
      hostKey: record.image.hostKey,
    },
    context.waitFor,
    { timeoutMs: 120_000 },
  );
  await guest.must('true');
  const kubernetes = await openKubernetes(statePaths(home).world('default').kubeconfig, context.clock);
  await context.waitFor(() => lookAtApi(kubernetes), {
    name: 'the API',
    timeoutMs: 120_000,
    intervalMs: 100,
  });
  const ms = performance.now() - startedAt;
  guest.close();
  return ms;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

async function measure(): Promise<Row[]> {
  const first = await lab('up', '--json');
  const contained = findWorldRecord(home, 'default')?.timings ?? {};
  const bareCold = (contained['bootMs'] ?? NaN) + (contained['kubeadmMs'] ?? NaN);
  const second = await lab('up', '--json');
  const bare: number[] = [];
  for (let i = 0; i < RESTORES; i += 1) bare.push(await bareRestoreMs());
  await lab('run', 'default/plain-exit', '--json');
  const run = JSON.parse(
    (await lab('run', 'default/plain-exit', 'default/sigkill-from-node', '--json')).stdout,
  ) as RunResult;
  const restores = run.cells.map((cell) => cell.timings.restoreMs).filter((ms) => ms > 0);
  const list = await lab('list');
  return [
    {
      what: 'up from a cached image / boot + kubeadm init it contains',
      ours: first.ms,
      bare: bareCold,
      target: 1.3,
    },
    { what: 'up from the snapshot / first up', ours: second.ms, bare: first.ms, target: 0.15 },
    {
      what: 'scenario start after restore / bare restore to first answer',
      ours: median(restores),
      bare: median(bare),
      target: 2,
    },
    { what: 'list / one second', ours: list.ms, bare: 1000, target: 1 },
  ];
}

try {
  const rows = await measure();
  for (const row of rows) {
    const ratio = row.ours / row.bare;
    const figures = `${(row.ours / 1000).toFixed(1)} s / ${(row.bare / 1000).toFixed(1)} s`;
    const verdict = ratio <= row.target ? 'within' : 'ABOVE';
    console.log(`${ratio.toFixed(2)}x  ${verdict} ${row.target}x  ${row.what}  (${figures})`);
  }
} finally {
  await lab('down', '--all');
  rmSync(home, { recursive: true, force: true });
}
