import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diffSchema } from '../../lab/model/saved/diff.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import { historySchema } from '../../lab/model/saved/history.ts';
import { createCell, createRunOf } from '../unit/report/made-run.ts';
import { PROJECT, runCli } from './support/run-cli.ts';

let home: string;

const [GOOD, BAD, LATER] = ['20260101-0900-good', '20260102-0900-bad1', '20260103-0900-bad2'] as const;
const ADDRESS = 'default/oom';

function saveRun(run: string, cells: CellResult[]): void {
  mkdirSync(join(home, 'runs', run), { recursive: true });
  const startedAt = `${run.slice(0, 4)}-${run.slice(4, 6)}-${run.slice(6, 8)}T09:00:00.000Z`;
  writeFileSync(
    join(home, 'runs', run, 'result.json'),
    JSON.stringify(createRunOf(cells, { run, startedAt })),
  );
}

const failed = createCell('oom', { verdict: 'failed', note: 'it lives' });

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-history-'));
  saveRun(GOOD, [createCell('oom'), createCell('gone')]);
  saveRun(BAD, [failed, createCell('new')]);
});
afterEach(() => rmSync(home, { recursive: true }));

const cli = (...words: string[]) => runCli(home, words);
const index = (): string => readFileSync(join(home, 'history.jsonl'), 'utf8');

describe('lab history', () => {
  it('shows the trend of one cell, since when it is bad, and what to do next', async () => {
    const { status, stdout, stderr } = await cli('history', ADDRESS);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('trend     ✓✗  oldest first; ✓ passed, ✗ failed\n');
    expect(stdout).toContain('fails     1 of 2 (50 %; 9 to 91 % in the long run); 1 change of the verdict\n');
    expect(stdout).toContain(`first bad ${BAD}; ${GOOD} passed\n`);
    expect(stdout).toContain(`next: npx whodunit diff ${GOOD} ${BAD} ${ADDRESS}\n`);
  });

  it('has a row for each cell of a scenario or glob, and answers programs', async () => {
    expect(
      (await cli('history', '*')).stdout.split('\n').filter((line) => line.startsWith('default/')),
    ).toHaveLength(3);
    const { cells } = historySchema.parse(JSON.parse((await cli('history', 'oom', '--json')).stdout));
    expect(cells).toMatchObject([{ address: ADDRESS, firstBad: { run: BAD, after: GOOD } }]);
  });

  it('follows the run folders: what is new, changed or gone, and an index that is damaged', async () => {
    await cli('history', 'oom');
    const whole = index();
    saveRun(LATER, [createCell('oom')]);
    saveRun(BAD, [createCell('oom')]);
    rmSync(join(home, 'runs', GOOD), { recursive: true });
    expect((await cli('history', 'oom')).stdout).toContain('trend     ✓✓');
    expect(index()).not.toContain(GOOD);
    const now = index();
    writeFileSync(join(home, 'history.jsonl'), `${whole.slice(0, 50)}\n{"run":`);
    expect((await cli('history', 'oom')).stdout).toContain('trend     ✓✓');
    expect(index()).toBe(now);
  });

  it('takes a run from its index until its result changes', async () => {
    await cli('history', 'oom');
    writeFileSync(join(home, 'history.jsonl'), index().replaceAll('memcg-oom', 'seccomp'));
    expect((await cli('history', 'oom')).stdout).toContain('killer    seccomp 2');
    saveRun(BAD, [failed, createCell('another')]);
    expect((await cli('history', 'oom')).stdout).toContain('killer    seccomp 1, memcg-oom 1');
  });

  it('names a run that cannot be read, and the nearest cell of a wrong word', async () => {
    mkdirSync(join(home, 'runs', LATER));
    writeFileSync(join(home, 'runs', LATER, 'result.json'), '{');
    const { status, stderr } = await cli('history', 'default/oon');
    expect(stderr).toContain(`run ${LATER} is skipped: `);
    expect(stderr).toContain('no saved run has a cell "default/oon" (did you mean "default/oom"?)');
    expect(status).toBe(2);
  });
});

describe('lab diff', () => {
  it('compares two runs', async () => {
    const { status, stdout } = await cli('diff', '20260101', 'latest');
    expect(stdout).toContain('verdict or killer changed\n  default/oom\n    verdict  passed -> failed\n');
    expect(stdout).toContain('\n1 flip, 0 changed, 1 new, 1 gone, 0 unchanged\n');
    expect(status).toBe(1);
    expect((await cli('diff', GOOD, GOOD)).status).toBe(0);
    const { stdout: json } = await cli('diff', GOOD, BAD, '--json');
    expect(diffSchema.parse(JSON.parse(json))).toMatchObject({ kind: 'runs', gone: ['default/gone'] });
  });

  it('compares a cell of two runs, with what its nodes were', async () => {
    const save = (run: string, runc: string): void => {
      const folder = join(home, 'runs', run, 'cells/default/oom');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'effective.json'), JSON.stringify({ versions: { runc } }));
    };
    save(GOOD, '1.1');
    save(BAD, '1.2');
    const { status, stdout } = await cli('diff', GOOD, BAD, 'oom');
    expect(stdout).toContain('effective\n  versions.runc  1.1 -> 1.2\n');
    expect(status).toBe(1);
  });

  it('compares two addresses, each from the newest run that has it', async () => {
    const { stdout } = await cli('diff', 'default/gone', 'default/new', '--json');
    expect(diffSchema.parse(JSON.parse(stdout))).toMatchObject({
      kind: 'cells',
      before: { run: GOOD },
      now: { run: BAD },
    });
  });

  it.each([
    [['diff', GOOD], 'diff takes two runs'],
    [['diff', GOOD, 'nope'], 'there is no saved run "nope"'],
    [['diff', '2026', GOOD], 'several runs begin with "2026"'],
    [['diff', GOOD, BAD, 'default/new'], `run ${GOOD} has no cell "default/new"`],
    [['diff', 'default/a', 'default/b', 'default/c'], 'there is no saved run "default/a" or "default/b"'],
  ])('refuses %j', async (words, message) => {
    const { status, stderr } = await runCli(home, words);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  it('does not leave the folder of the run for what is saved beside a cell', async () => {
    cpSync(join(PROJECT, 'package.json'), join(home, 'effective.json'));
    saveRun(LATER, [createCell('oom', { evidence: '../..' })]);
    const { stderr, status } = await cli('diff', GOOD, LATER, 'oom');
    expect(stderr).toContain('LAB_STATE_FILE');
    expect(status).toBe(3);
  });
});
