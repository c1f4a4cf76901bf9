import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../lab/model/axes/axes.ts';
import type { Rejudged, RunResult } from '../../lab/model/saved/formats.ts';
import { PROJECT, runCli, runProgram } from './support/run-cli.ts';

/** Saved when there was no axis `knobs` yet. */
const BEFORE = '20250101-0900-before';
const ADDRESS = 'default/sigkill-beside-an-oom';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

describe('a run that was saved before an axis was made', () => {
  it('is explained, and reported with the default of that axis', async () => {
    const why = await runCli(home, ['why', ADDRESS]);
    expect(why.stderr).toBe('');
    expect(why.stdout).toContain('killer    external-signal (from-node), proven');
    const report = await runCli(home, ['report', BEFORE, '--json']);
    const { cells } = JSON.parse(report.stdout) as RunResult;
    expect(cells.map(({ variant }) => variant)).toEqual([DEFAULT_VARIANT]);
  });

  it('is judged again, and compared with what was said of it', async () => {
    const { status, stdout } = await runCli(home, ['judge', BEFORE, '--json']);
    const { cells } = JSON.parse(stdout) as Rejudged;
    expect(cells).toMatchObject([{ address: ADDRESS, verdict: 'passed', changed: [] }]);
    expect(status).toBe(0);
  });
});

describe('a run that cannot be read', () => {
  const saved = (id: string, text: string): string => {
    const path = join(home, 'runs', id, 'result.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  it.each([['report'], ['why', ADDRESS]])('is named once and in the way of nothing: %s', async (...words) => {
    const later = saved('20990101-0900-later', '{"formatVersion":2}');
    const cut = saved('20990102-0900-cut', '{"formatVersion":1,\n"run":');
    const { status, stdout, stderr } = await runCli(home, words);
    expect(stderr).toBe(
      `run 20990102-0900-cut is skipped: ${cut} is not valid JSON ({"formatVersion":1, "run":)\n` +
        `run 20990101-0900-later is skipped: ${later} is not a result of this version (formatVersion: expected 1, received 2)\n`,
    );
    expect(stdout).toContain(BEFORE);
    expect(status).toBe(0);
  });

  it('is an error when it is the one that was asked for, and only then', async () => {
    const path = saved('20990101-0900-later', '{"formatVersion":2}');
    for (const words of [
      ['report', '20990101-0900-later'],
      ['why', ADDRESS, '--run', '20990101-0900-later'],
    ]) {
      const { status, stderr } = await runCli(home, words);
      expect(stderr).toContain(`error LAB_STATE_FILE: ${path} is not a result of this version\n`);
      expect(status).toBe(3);
    }
    const other = await runCli(home, ['report', BEFORE]);
    expect(other).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([['report'], ['why'], ['diff', BEFORE]])(
    'without a result is not passed over for `latest`: %s',
    async (...words) => {
      const broken = '20990101-0900-broken';
      mkdirSync(join(home, 'runs', broken), { recursive: true });
      const { status, stdout, stderr } = await runCli(home, [...words, 'latest']);
      expect(stderr).toContain(`run ${broken} has no result\n  try: npx whodunit events ${broken}`);
      expect(stderr).toContain(BEFORE);
      expect([status, stdout]).toEqual([2, '']);
    },
  );

  it('is told as such when there is no other', async () => {
    saved(BEFORE, '[]');
    const { status, stderr } = await runCli(home, ['report']);
    expect(stderr).toMatch(
      /^run 20250101-0900-before is skipped: .*\nerror LAB_USAGE: there is no finished run that can be read\n/,
    );
    expect(status).toBe(2);
  });

  it('is left out of the docs that are made from runs', async () => {
    const path = saved('20990101-0900-later', '{"formatVersion":2}');
    const { status, stdout, stderr } = await runProgram(
      process.execPath,
      ['--import', 'tsx', 'bin/docs.ts', dirname(path)],
      { WHODUNIT_HOME: home },
    );
    expect(stderr).toContain(`is skipped: ${path} is not a result of this version`);
    expect(stdout).toBe('');
    expect(status).toBe(3);
  });
});
