import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Checked } from '../../lab/model/saved/checked.ts';
import type { Attribution, Rejudged } from '../../lab/model/saved/formats.ts';
import { PROJECT, runCli } from './support/run-cli.ts';

const CAPTURE = join(PROJECT, 'test/fixtures/evidence/sigkill-from-node');
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** A cell as a run saves it, with the result that the judge gives today, or with a changed answer. */
async function save(name: string, change: (answer: Attribution) => Attribution): Promise<string> {
  const cell = join(home, name);
  cpSync(CAPTURE, cell, { recursive: true });
  const { cells } = JSON.parse((await runCli(home, ['judge', cell, '--json'])).stdout) as Rejudged;
  const [judged] = cells;
  if (judged === undefined) throw new Error('nothing was judged');
  const saved = {
    address: judged.address,
    scenario: 'sigkill-from-node',
    expected: {},
    evidence: '',
    variant: (JSON.parse(readFileSync(join(cell, 'cell.json'), 'utf8')) as { variant: object }).variant,
    verdict: judged.verdict,
    attribution: change(judged.attribution),
    claims: judged.claims,
    mismatches: [],
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
  };
  writeFileSync(join(cell, 'result.json'), JSON.stringify(saved));
  return cell;
}

describe('lab check', () => {
  it('accepts the proof of a capture, which is judged for this', async () => {
    const { status, stdout, stderr } = await runCli(home, ['check', CAPTURE]);
    expect(stderr).toBe('');
    expect(stdout).toContain('accepted  default/sigkill-from-node: external-signal, proven (judged now');
    expect(stdout).toContain('total     1 proof checked, 1 accepted');
    expect(status).toBe(0);
  });

  it('accepts the proof in a saved result, and says so as JSON', async () => {
    const cell = await save('cell', (answer) => answer);
    const { status, stdout } = await runCli(home, ['check', cell, '--json']);
    const { cells } = JSON.parse(stdout) as Checked;
    expect(cells[0]).toMatchObject({ of: 'saved', ok: true, problems: [], confidence: 'proven' });
    expect(status).toBe(0);
  });

  it('rejects a saved result that names somebody else, and evidence that was changed, with file and line', async () => {
    await save('a', (answer) => ({ ...answer, killer: 'self-exit' }));
    const cell = await save('b', (answer) => answer);
    const trace = join(cell, 'node-1/witness.jsonl');
    writeFileSync(trace, readFileSync(trace, 'utf8').replaceAll('"sig":9,', '"sig":15,'));
    const { status, stdout } = await runCli(home, ['check', home]);
    expect(stdout).toMatch(/^rejected {2}default\/sigkill-from-node: self-exit, proven$/m);
    expect(stdout).toContain('the chain is not that of self-exit');
    expect(stdout).toMatch(/b\/node-1\/witness\.jsonl:132: it does not say \{/);
    expect(stdout).toContain('total     2 proofs checked, 0 accepted, 2 rejected');
    expect(status).toBe(1);
  });

  it('says that a file is too large to be held in memory', async () => {
    const cell = await save('cell', (answer) => answer);
    writeFileSync(join(cell, 'node-1/copy.log'), '');
    truncateSync(join(cell, 'node-1/copy.log'), 300 * 1024 ** 2);
    const { status, stdout, stderr } = await runCli(home, ['check', cell]);
    expect(stdout).toMatch(
      /^none {6}\S+: node-1\/copy\.log has more than 256 MiB, which is too much to check$/m,
    );
    expect([status, stderr]).toEqual([3, '']);
  });

  it('has nothing to check in a result of an older whodunit', async () => {
    const cell = await save('cell', ({ proof: _proof, ...answer }) => answer);
    const { status, stdout } = await runCli(home, ['check', cell]);
    expect(stdout).toMatch(/^none {6}default\/sigkill-from-node: no certificate/m);
    expect(stdout).toContain('1 without a certificate');
    expect(status).toBe(3);
  });

  it('says which cells of a run it could not check, because their evidence is not there', async () => {
    const base = join(home, 'base');
    for (const name of ['sigkill-from-node', 'plain-exit'])
      cpSync(join(PROJECT, 'test/fixtures/evidence', name), join(base, name), { recursive: true });
    const plan = join(home, 'plan.json');
    await runCli(home, ['plan', '--evidence', base, '--shards', '1', '--out', plan]);
    await runCli(home, ['run', '--plan', plan, '--shard', '1', '--evidence', base]);
    const [run = ''] = readdirSync(join(home, 'runs'));
    rmSync(join(home, 'runs', run, 'cells/default/plain-exit'), { recursive: true });
    const { status, stdout } = await runCli(home, ['check', 'latest']);
    expect(stdout).toContain('missing   default/plain-exit: its evidence is not there');
    expect(stdout).toContain('total     1 proof checked of 2, 1 accepted, 1 missing');
    expect(status).toBe(3);
    const json = await runCli(home, ['check', 'latest', '--json']);
    expect((JSON.parse(json.stdout) as Checked).missing).toEqual([
      { address: 'default/plain-exit', evidence: 'cells/default/plain-exit' },
    ]);
  });
});
