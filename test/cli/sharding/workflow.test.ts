import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProgram, type Ended } from '../support/run-cli.ts';
import { planCaptures, type Sharded } from '../support/shards.ts';
import { cellsOfOneShard, makeWorkFolder, mergedCells, writeManifest } from '../support/work-folder.ts';

const SHARDS = 3;
const CELLS = 6;
/** The project is there already. */
const INSTALL = 'npm ci --ignore-scripts';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly with?: { readonly name?: string; readonly pattern?: string; readonly path?: string };
}
interface Job {
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

let folder: string;
let sharded: Sharded;
let jobs: Readonly<Record<'shard' | 'merge', Job>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-workflow-'));
  sharded = await planCaptures(folder, SHARDS, CELLS);
  const file = await writeManifest('github', sharded, join(folder, 'whodunit.yml'));
  ({ jobs } = parse(readFileSync(file, 'utf8')) as { jobs: typeof jobs });
});
afterAll(() => rmSync(folder, { recursive: true }));

let workspaces = 0;

/** Runs the steps of a job in their order, in a new workspace, as a runner does; artefacts are folders. */
async function runJob(name: keyof typeof jobs, shard = ''): Promise<{ status: number; workspace: string }> {
  workspaces += 1;
  const workspace = makeWorkFolder(join(folder, `workspace-${workspaces}`));
  const fill = (text = ''): string => text.replaceAll('${{ matrix.shard }}', shard);
  const { env, steps } = jobs[name];
  const filled = Object.fromEntries(Object.entries(env).map(([key, text]) => [key, fill(text)]));
  const ended: Ended[] = [];
  for (const step of steps) {
    if (ended.some(({ status }) => status !== 0) && step.if !== 'always()') continue;
    const path = join(workspace, fill(step.with?.path));
    if (step.uses?.startsWith('actions/upload-artifact@') === true) {
      if (existsSync(path)) cpSync(path, artefact(fill(step.with?.name)), { recursive: true });
    } else if (step.uses?.startsWith('actions/download-artifact@') === true) {
      // Each in a folder of its own name.
      for (let index = 1; index <= SHARDS; index += 1) {
        const one = `shard-${index}`;
        if (existsSync(artefact(one))) cpSync(artefact(one), join(path, one), { recursive: true });
      }
    } else if (step.run !== undefined && step.run !== INSTALL) {
      const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', fill(step.run)];
      const own = { ...filled, CI: 'true', WHODUNIT_CACHE: join(folder, 'cache') };
      ended.push(await runProgram('bash', options, own, workspace));
    }
  }
  return { status: Math.max(...ended.map(({ status }) => status)), workspace };
}

function artefact(name: string): string {
  return join(folder, 'artefacts', name);
}

describe('the workflow of GitHub Actions that a plan is written as', () => {
  it('is red while a shard is missing, and whole once the jobs that failed ran again', async () => {
    for (const shard of ['1', '3']) expect((await runJob('shard', shard)).status).toBe(0);
    expect((await runJob('merge')).status).toBe(3);
    expect((await runJob('shard', '2')).status).toBe(0);
    const { status, workspace } = await runJob('merge');
    expect(status).toBe(0);
    expect(existsSync(artefact('merged'))).toBe(true);
    const returned = { ...sharded, shards: join(workspace, 'shards') };
    expect(await mergedCells(join(folder, 'here'), returned)).toEqual(
      await cellsOfOneShard(join(folder, 'one'), CELLS),
    );
  });
});
