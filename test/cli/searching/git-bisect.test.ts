import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT, runProgram, type Ended } from '../support/run-cli.ts';

const CAPTURE = join(PROJECT, 'test/fixtures/evidence/oom-single-container');
const WHODUNIT = `'${process.execPath}' '${join(PROJECT, 'bin/whodunit.mjs')}'`;

let home: string;
let checkout: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'git-bisect-'));
  checkout = join(home, 'checkout');
  mkdirSync(join(checkout, 'evidence'), { recursive: true });
  cpSync(CAPTURE, join(checkout, 'evidence/cell'), { recursive: true });
  git('init', '--quiet');
});
afterEach(() => rmSync(home, { recursive: true }));

const WHO = ['-c', 'user.name=x', '-c', 'user.email=x@example.test'];
const git = (...words: string[]): string =>
  execFileSync('git', ['-C', checkout, ...WHO, ...words], { encoding: 'utf8' }).trim();
const commit = (message: string): void => {
  writeFileSync(join(checkout, 'notes'), message);
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
};

/** What is judged is in the checkout, so that a commit can turn it, and no machine is started. */
async function bisect(line: string): Promise<Ended> {
  git('bisect', 'start', 'HEAD', git('rev-list', '--max-parents=0', 'HEAD'));
  const env = { WHODUNIT_HOME: home, WHODUNIT_CACHE: undefined, npm_lifecycle_event: undefined };
  return runProgram('git', ['bisect', 'run', 'sh', '-c', line], env, checkout);
}

const PLAN = `${WHODUNIT} plan --evidence evidence --shards 1 -o "$WHODUNIT_HOME/plan.json"`;
const RUN = `${WHODUNIT} run --exit-for git-bisect --plan "$WHODUNIT_HOME/plan.json" --shard 1 --evidence evidence`;

describe('git bisect run', () => {
  it('finds the commit from which on the cell fails, and skips one that was not observed', async () => {
    const record = join(checkout, 'evidence/cell/cell.json');
    const kept = join(home, 'node-1');
    for (let index = 0; index < 8; index++) {
      if (index === 3) renameSync(join(checkout, 'evidence/cell/node-1'), kept);
      if (index === 4) renameSync(kept, join(checkout, 'evidence/cell/node-1'));
      if (index === 5)
        writeFileSync(
          record,
          readFileSync(record, 'utf8').replace('"killer": "memcg-oom"', '"killer": "none"'),
        );
      commit(`commit ${index}`);
    }
    const { status, stdout } = await bisect(`rm -f "$WHODUNIT_HOME/plan.json"; ${PLAN} && ${RUN}`);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/is the first bad commit[^]*commit 5/)]);
    expect(git('bisect', 'log')).toMatch(/^git bisect skip .*$/m);
  });

  it('stops at an error of its own, and calls no commit bad', async () => {
    for (let index = 0; index < 4; index++) commit(`commit ${index}`);
    const { status, stdout, stderr } = await bisect(`${WHODUNIT} run --exit-for git-bisect oom-singel`);
    expect(status).not.toBe(0);
    expect(stdout).not.toContain('first bad commit');
    expect(stderr).toContain('LAB_USAGE');
    expect(git('bisect', 'log')).not.toMatch(/^# bad: .*commit [012]$/m);
  });
});
