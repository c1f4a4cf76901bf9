import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statePaths } from '../../../lab/model/host/paths.ts';
import { copyProject, type ProjectCopy } from '../support/project-copy.ts';

let folder: string;
let empty: ProjectCopy;
let used: ProjectCopy;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-plan-'));
  mkdirSync(join(folder, 'one'));
  mkdirSync(join(folder, 'another/checkout'), { recursive: true });
  empty = copyProject(join(folder, 'one'));
  used = copyProject(join(folder, 'another/checkout'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function plan(
  project: ProjectCopy,
  env: NodeJS.ProcessEnv = {},
  ...more: readonly string[]
): Promise<string> {
  const out = join(folder, 'plan.json');
  const words = ['plan', 'set=deaths', 'cgroup=*', '--shards', '4', '-o', out, ...more];
  const { status, stderr } = await project.run(words, env);
  expect(status, stderr).toBe(0);
  return readFileSync(out, 'utf8');
}

describe('a plan', () => {
  it('has the same bytes on every host, whatever it has and wherever it is', async () => {
    const bytes = await plan(empty);
    const home = join(folder, 'elsewhere/state');
    const { timings, worlds } = statePaths(home);
    mkdirSync(join(worlds, 'default/saved'), { recursive: true });
    const timing = { kind: 'world', name: 'default', seconds: 4000 };
    writeFileSync(timings, `${JSON.stringify(timing)}\n`);
    expect(await plan(used, { WHODUNIT_HOME: home, WHODUNIT_CACHE: join(folder, 'cache') })).toBe(bytes);
    expect(bytes).not.toContain(folder);
    // They count when they are given.
    expect(await plan(used, {}, '--timings', timings)).not.toBe(bytes);
  });

  it('has others when its seed of a sample is another', async () => {
    const sample = (seed: string): Promise<string> =>
      used
        .run(['plan', 'set=deaths', '--sample', '8', '--seed', seed, '--shards', '2', '--json'])
        .then(({ stdout }) => stdout);
    const [one, other] = [await sample('1'), await sample('2')];
    expect(one).not.toBe(other);
    expect(await sample('1')).toBe(one);
  });
});
