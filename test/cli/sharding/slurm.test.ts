import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lab/drivers/clock.ts';
import { lacksSlurm, startSlurm, type Slurm } from '../../slurm.ts';
import { createRandom } from '../../random.ts';
import type { Ended } from '../support/run-cli.ts';
import { planCaptures, type Sharded } from '../support/shards.ts';
import { cellsOfOneShard, makeWorkFolder, mergedCells, writeManifest } from '../support/work-folder.ts';

const SHARDS = 3;
const CELLS = 6;
const NODES = ['n1', 'n2', 'n3'];
const SEED = 7;
/** Each kills the daemon of a node at a random moment. */
const ROUNDS = Number(process.env.WHODUNIT_KILLS ?? '1');
/** A task takes a few seconds; later kills meet a merge, or nothing. */
const LATEST_KILL_MS = 8_000;
/** Ends a round that hangs. On a busy host each of its five commands takes 20 s, and Slurm has waits of its own. */
const LONG_MS = 10 * 60_000;

if (lacksSlurm !== undefined) process.stderr.write(`not tested with Slurm: ${lacksSlurm}\n`);

describe.skipIf(lacksSlurm !== undefined)('a plan that Slurm runs', () => {
  let folder: string;
  let slurm: Slurm;
  let sharded: Sharded;
  let manifest: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-slurm-'));
    const cluster = join(folder, 'slurm');
    mkdirSync(cluster);
    slurm = await startSlurm(cluster, NODES);
    sharded = await planCaptures(makeWorkFolder(work()), SHARDS, CELLS);
    manifest = await writeManifest('slurm', sharded, work('shards.sbatch'));
  });
  afterAll(async () => {
    await slurm.end();
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => rmSync(work('shards'), { recursive: true, force: true }));

  const work = (...names: string[]): string => join(folder, 'work', ...names);
  const submit = async (...words: string[]): Promise<Ended> => {
    const env = { WHODUNIT_HOME: join(folder, 'merged'), WHODUNIT_CACHE: join(folder, 'cache') };
    const ended = await slurm.run('sbatch', words, { cwd: work(), env });
    expect(ended.stderr).toBe('');
    return ended;
  };
  /** Runs these tasks, then the merge that the manifest names, and returns how that ended and what it said. */
  const runAndMerge = async (
    tasks: string,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<{ readonly status: number; readonly said: string }> => {
    const { stdout } = await submit('--parsable', `--array=${tasks}`, manifest);
    const [, merge = ''] = /--wrap '(.*)'$/m.exec(readFileSync(manifest, 'utf8')) ?? [];
    const behind = `--dependency=afterany:${stdout.trim()}`;
    const merged = submit('--wait', behind, '--output=merge.log', `--wrap=${merge}`);
    await meanwhile();
    const { status } = await merged;
    return { status, said: readFileSync(work('merge.log'), 'utf8') };
  };

  it('one task after the other, is the same as one shard', async () => {
    const { status, said } = await runAndMerge(`1-${SHARDS}%1`);
    expect(status, said).toBe(0);
    const cells = await mergedCells(join(folder, 'here'), sharded);
    expect(cells).toHaveLength(CELLS);
    expect(cells).toEqual(await cellsOfOneShard(join(folder, 'one'), CELLS));
  });

  it('lacks what a task lost, until that index has run by itself', async () => {
    const { status, said } = await runAndMerge('1-2');
    expect(status, said).toBe(3);
    expect(said).toContain('shard 3 returned nothing: 2 cells missing');
    const whole = await runAndMerge('3');
    expect(whole.status, whole.said).toBe(0);
  });

  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'and whose node loses its daemon is never whole by mistake, and whole after that index ran again: round %i',
    async (round) => {
      const random = createRandom(SEED + round);
      const node = NODES[Math.floor(random() * NODES.length)] ?? '';
      const { status, said } = await runAndMerge(`1-${SHARDS}`, async () => {
        await systemClock.sleep(random() * LATEST_KILL_MS);
        await slurm.killNode(node);
        await systemClock.sleep(random() * LATEST_KILL_MS);
        slurm.startNode(node);
      });
      const missing = [...said.matchAll(/shard (\d+) (?:returned|lacks)/g)].map(([, shard]) => shard);
      expect(missing.length === 0, said).toBe(status === 0);
      expect([0, 3], said).toContain(status);
      if (status === 3) {
        // A task whose node was given up goes on until that node is back.
        await slurm.awaitIdle();
        const again = await runAndMerge(missing.join(','));
        expect(again.status, again.said).toBe(0);
      }
      expect(await mergedCells(join(folder, `here-${round}`), sharded)).toEqual(
        await cellsOfOneShard(join(folder, `one-${round}`), CELLS),
      );
    },
    LONG_MS,
  );
});
