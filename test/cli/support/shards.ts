import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, runCli, type Ended } from './run-cli.ts';

const CAPTURES = join(PROJECT, 'test/fixtures/evidence');

/**
 * Copies captures of different cells below a folder, and returns how many there are.
 *
 * @param most of them; left out: all.
 */
function copyCaptures(folder: string, most = Infinity): number {
  const seen = new Set<string>();
  for (const name of readdirSync(CAPTURES).sort()) {
    const record = join(CAPTURES, name, 'cell.json');
    if (!existsSync(record) || seen.size >= most) continue;
    const { address } = JSON.parse(readFileSync(record, 'utf8')) as { address: string };
    // Some cells were captured twice, and a plan has each once.
    if (seen.has(address)) continue;
    seen.add(address);
    mkdirSync(folder, { recursive: true });
    cpSync(join(CAPTURES, name), join(folder, name), { recursive: true });
  }
  return seen.size;
}

/** A folder with evidence, its plan, and the state folders of its shards. */
export interface Sharded {
  readonly plan: string;
  readonly evidence: string;
  /** The state folders of the shards are in it. */
  readonly shards: string;
}

/** Plans to judge captures in shards. */
export async function planCaptures(home: string, shards: number, most?: number): Promise<Sharded> {
  const sharded = {
    plan: join(home, 'plan.json'),
    evidence: join(home, 'evidence'),
    shards: join(home, 'shards'),
  };
  copyCaptures(sharded.evidence, most);
  const words = ['plan', '--evidence', sharded.evidence, '--shards', String(shards), '-o', sharded.plan];
  const { status, stderr } = await runCli(home, words);
  if (status !== 0) throw new Error(stderr);
  return sharded;
}

/** Runs one shard, in a state folder of its own. */
export function runShard({ plan, evidence, shards }: Sharded, shard: number): Promise<Ended> {
  const words = ['run', '--plan', plan, '--shard', String(shard), '--evidence', evidence];
  return runCli(join(shards, String(shard)), words);
}

/** Merges what is there. */
export function mergeShards(home: string, { plan, shards }: Sharded, ...more: string[]): Promise<Ended> {
  return runCli(home, ['merge', shards, '--plan', plan, ...more]);
}
