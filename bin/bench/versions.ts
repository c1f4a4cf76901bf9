import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ListResult, RunResult } from '../../lab/model/saved/formats.ts';
import { sum } from '../../lab/model/text/sum.ts';
import { formatRow, seconds } from './numbers.ts';
import { runLab, type Session } from './session.ts';
import { describeVerdict, EXITS_WITH_VERDICTS } from './verdicts.ts';

/** What is run by both versions. */
export interface VersionsInput {
  /** Folder of the other checkout. */
  readonly other: string;
  /** Words that select cells, as `whodunit run` takes them. */
  readonly cells: readonly string[];
}

/** The parts of a cell, as `timings` of a result has them. */
const PARTS: readonly (readonly [what: string, timings: readonly string[]])[] = [
  ['restoring', ['restoreMs']],
  ['deploying and judging', ['deployMs', 'verdictMs']],
  ['watching', ['observeMs']],
  ['collecting', ['collectMs']],
];

interface Side {
  readonly run: (words: readonly string[]) => Promise<{ readonly stdout: string; readonly ms: number }>;
}

interface Measured {
  readonly ms: number;
  readonly cells: RunResult['cells'];
}

/** The command line of a checkout of this project. */
function programOf(folder: string): string {
  return resolve(folder, 'bin/whodunit.mjs');
}

/** Whether a folder is a checkout of this project. */
export function isCheckout(folder: string): boolean {
  return folder !== '' && existsSync(programOf(folder));
}

/**
 * Runs the same cells by this version and by that of another checkout, one after the other, each from a cached image
 * and with a state folder of its own. Prints where the time went on either side, and every verdict that is another one.
 */
export async function benchmarkVersions(
  session: Session,
  { other, cells }: VersionsInput,
  print: (line: string) => void,
): Promise<void> {
  const bin = programOf(other);
  const home = mkdtempSync(join(tmpdir(), 'whodunit-bench-other-'));
  const env = { ...process.env, WHODUNIT_HOME: home, WHODUNIT_CACHE: session.context.cacheDir };
  const before: Side = { run: (words) => runLab(bin, words, env, { expected: EXITS_WITH_VERDICTS }) };
  const now: Side = { run: (words) => session.run(words, { expected: EXITS_WITH_VERDICTS }) };
  try {
    const theirs = await measure(before, cells);
    await before.run(['down', '--all']);
    printComparison(await measure(now, cells), theirs, print);
  } finally {
    await before.run(['down', '--all']);
    rmSync(home, { recursive: true, force: true });
  }
}

async function measure(side: Side, words: readonly string[]): Promise<Measured> {
  const list = JSON.parse((await side.run(['list', ...words, '--json'])).stdout) as ListResult;
  // A list of an older version has no worlds; an address begins with the name of its variant.
  const variants = new Set(list.cells.map(({ address }) => address.replace(/\/.*$/, '')));
  for (const variant of variants) await side.run(['bake', variant]);
  const { stdout, ms } = await side.run(['run', ...words, '--json']);
  return { ms, cells: (JSON.parse(stdout) as RunResult).cells };
}

function printComparison(now: Measured, before: Measured, print: (line: string) => void): void {
  const row = (what: string, ours: number, bare: number): void =>
    print(formatRow({ what, ours: seconds(ours), bare: seconds(bare), unit: 's' }));
  row(`${String(now.cells.length)} cells in all, this version / the other`, now.ms, before.ms);
  const ofCells = (side: Measured): number => spentIn(side, ['totalMs']);
  row('  worlds and the rest', now.ms - ofCells(now), before.ms - ofCells(before));
  for (const [what, timings] of PARTS) row(`  ${what}`, spentIn(now, timings), spentIn(before, timings));
  const verdicts = new Map(before.cells.map((cell) => [cell.address, describeVerdict(cell)]));
  const differences = now.cells
    .map((cell) => ({ address: cell.address, is: describeVerdict(cell), was: verdicts.get(cell.address) }))
    .filter(({ is, was }) => was !== undefined && is !== was);
  const shared = now.cells.filter(({ address }) => verdicts.has(address)).length;
  print(`  ${String(shared)} verdicts compared, ${String(differences.length)} differ`);
  for (const { address, is, was } of differences) print(`  DIFFERS ${address}: is ${is}, was ${String(was)}`);
}

function spentIn({ cells }: Measured, timings: readonly string[]): number {
  return sum(cells.flatMap((cell) => timings.map((name) => cell.timings?.[name as never] ?? 0)));
}
