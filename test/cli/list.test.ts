import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSchema } from '../../lab/model/saved/formats.ts';
import { runCli } from './support/run-cli.ts';

let folder: string;
let home: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
  home = join(folder, 'state');
});
afterAll(() => {
  // Reading verbs leave nothing: no state folder, no lease, no file.
  const isLeft = existsSync(home);
  rmSync(folder, { recursive: true });
  expect(isLeft).toBe(false);
});

describe('lab list', () => {
  it('prints cells, cost and the next command', async () => {
    const { status, stdout, stderr } = await runCli(home, ['list', 'oom-single-container', 'within-limits']);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'cell                          takes    in sets',
      'default/oom-single-container  ~  50 s  quick,deaths,full',
      'default/within-limits         ~  40 s  quick,deaths,seeds,full',
      '',
      '2 cells, 1 world, about 11 min (8 min of it builds), 3 GiB peak; estimates are defaults',
      'next: npx whodunit run oom-single-container within-limits',
      '',
    ]);
    expect(status).toBe(0);
  });

  it.each(['cells', 'scenarios', 'bugs', 'killers'])(
    'has colours for %s where they are wanted',
    async (kind) => {
      const wanted = await runCli(home, ['list', kind], { FORCE_COLOR: '1', NO_COLOR: undefined });
      const plain = await runCli(home, ['list', kind], { FORCE_COLOR: undefined, NO_COLOR: '1' });
      expect(wanted.stdout).toContain('\u001b[');
      expect(stripVTControlCharacters(wanted.stdout)).toBe(plain.stdout);
    },
  );

  it('prints JSON of the documented format and nothing else', async () => {
    const { status, stdout } = await runCli(home, ['list', 'set=full', '--json']);
    const list = listSchema.parse(JSON.parse(stdout));
    expect(list.totals).toMatchObject({ cells: list.cells.length, skipped: list.skipped.length });
    expect(list.totals.skipped).toBeGreaterThan(0);
    expect(status).toBe(0);
  });

  it('shows skipped cells under their rule, with reason and source', async () => {
    const { status, stdout } = await runCli(home, ['list', 'os=trixie', 'cgroup=v1', 'plain-exit']);
    expect(stdout).toContain('v1-needs-memcg-v1: Debian');
    expect(stdout).toContain('https://packages.debian.org/');
    expect(stdout).toContain('trixie_v1/plain-exit');
    expect(stdout).toContain('0 of 1 cell, 1 skipped');
    expect(status).toBe(0);
  });

  it('covers all allowed pairs in few cells, in the order of a seed, and says so', async () => {
    const words = ['kubernetes=*', 'drivers=*', 'cgroup=*', 'plain-exit', '--pairwise', '--seed', '7'];
    const { status, stdout } = await runCli(home, ['list', ...words]);
    expect(stdout).toMatch(
      /\n\d+ of 56 cells, .*; covers (\d+) of \1 allowed pairs in \d+ cells; order of seed 7\n/,
    );
    expect(status).toBe(0);
    expect((await runCli(home, ['list', ...words])).stdout).toBe(stdout);
  });

  it('draws cells at random by a seed, the same ones each time, and says from how many', async () => {
    const words = ['set=full', '--sample', '5', '--seed'];
    const { status, stdout } = await runCli(home, ['list', ...words, '7']);
    expect(stdout).toMatch(/\n5 of \d+ cells, .*; drawn from \d+ cells by the seed 7\n/);
    expect(status).toBe(0);
    expect((await runCli(home, ['list', ...words, '7'])).stdout).toBe(stdout);
    expect((await runCli(home, ['list', ...words, '8'])).stdout).not.toBe(stdout);
  });

  it('draws worlds first where it is told so, and says from how many', async () => {
    const words = ['set=full', '--sample', '6', '--sample-worlds', '3', '--seed', '7'];
    const { status, stdout } = await runCli(home, ['list', ...words]);
    expect(stdout).toMatch(
      /\n6 of \d+ cells, \d+ worlds, .*; drawn from \d+ cells in \d+ worlds \(worlds first\) by the seed 7\n/,
    );
    expect(status).toBe(0);
  });

  it.each([
    ['no seed', ['--sample', '5'], 'it needs --seed'],
    ['a covering too', ['--sample', '5', '--seed', '7', '--pairwise'], '--pairwise chooses the cells'],
    ['worlds and no size', ['--sample-worlds', '5', '--seed', '7'], 'it is about how --sample draws'],
    ['nothing to draw', ['--sample', '0', '--seed', '7'], '--sample takes a whole number from 1'],
  ])('refuses a sample with %s', async (_, flags, why) => {
    const { status, stderr } = await runCli(home, ['list', 'set=full', ...flags]);
    expect(stderr).toContain(why);
    expect(status).toBe(2);
  });

  it('names all wrong words at once and exits 2', async () => {
    const { status, stdout, stderr } = await runCli(home, [
      'list',
      'cgroup=v3',
      'scenario=plain-exits',
      'oses=x',
    ]);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      [
        'error LAB_USAGE: 3 problems',
        '  cgroup has no value "v3" (did you mean "v2"?)',
        '  there is no scenario "plain-exits" (did you mean "plain-exit"?)',
        '  there is no axis or parameter "oses" (did you mean "os"?)',
        "  try: npx whodunit list '*' for all cells, or npx whodunit help list for what words mean",
        '',
      ].join('\n'),
    );
    expect(status).toBe(2);
  });
});
