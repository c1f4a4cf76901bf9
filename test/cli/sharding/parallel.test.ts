import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTool } from '../../../lab/drivers/host/host-facts.ts';
import { lacksSshd, startSshHosts, type SshHosts } from '../../sshd.ts';
import { runProgram, type Ended } from '../support/run-cli.ts';
import { planCaptures, type Sharded } from '../support/shards.ts';
import { cellsOfOneShard, makeWorkFolder, mergedCells, writeManifest } from '../support/work-folder.ts';

const SHARDS = 3;
const CELLS = 6;
const HOSTS = ['host-1', 'host-2'];

const lacks =
  lacksSshd ??
  (findTool('parallel', process.env.PATH ?? '') === undefined
    ? 'there is no parallel: apt-get install parallel'
    : undefined);
if (lacks !== undefined) process.stderr.write(`not tested with GNU parallel: ${lacks}\n`);

describe.skipIf(lacks !== undefined)('a plan that GNU parallel runs on two hosts', () => {
  let folder: string;
  let hosts: SshHosts;
  let sharded: Sharded;
  let script: string;
  const work = (...names: string[]): string => join(folder, 'work', ...names);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-parallel-'));
    mkdirSync(join(folder, 'ssh'));
    hosts = await startSshHosts(join(folder, 'ssh'), HOSTS);
    sharded = await planCaptures(makeWorkFolder(work()), SHARDS, CELLS);
    script = await writeManifest('parallel', sharded, work('shards.sh'));
  });
  afterAll(async () => {
    await hosts.end();
    rmSync(folder, { recursive: true });
  });

  const run = (...words: string[]): Promise<Ended> =>
    runProgram(
      'sh',
      [script, '-S', HOSTS.join(','), '--ssh', `ssh -F ${hosts.config}`, ...words],
      {
        HOME: folder, // parallel has a folder of its own there
        WHODUNIT_HOME: join(folder, 'merged'),
        WHODUNIT_CACHE: join(folder, 'cache'),
      },
      work(),
    );
  /** The tasks that ran, each with its shard, its host and its exit code. */
  const tasks = (): string[][] =>
    readFileSync(work('shards.log'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
      .map(([shard = '', host = '', , , , , status = '']) => [shard, host, status]);

  it('lacks the shard that did not work, runs only that one again, and is then the same as one shard', async () => {
    mkdirSync(work('shards'));
    // A state folder that is a file.
    writeFileSync(work('shards/2'), '');
    const first = await run();
    expect(first.status, first.stderr).toBe(3);
    expect(first.stdout).toContain('shard 2 returned nothing: 2 cells missing');
    expect([...new Set(tasks().map(([, host]) => host))].sort()).toEqual(HOSTS);
    rmSync(work('shards/2'));
    const again = await run('--resume-failed');
    expect(again.status, again.stdout + again.stderr).toBe(0);
    const ran = tasks().map(([shard]) => shard);
    expect(ran.toSorted()).toEqual(['1', '2', '2', '3']);
    expect(await mergedCells(join(folder, 'here'), sharded)).toEqual(
      await cellsOfOneShard(join(folder, 'one'), CELLS),
    );
  });
});
