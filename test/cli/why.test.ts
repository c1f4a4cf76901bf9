import { cpSync, existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../lab/model/axes/axes.ts';
import type { CellResult, RunResult } from '../../lab/model/saved/formats.ts';
import type { CellRecord } from '../../lab/model/evidence/observation.ts';
import { createRunOf } from '../unit/report/made-run.ts';
import { PROJECT, runCli } from './support/run-cli.ts';

const ADDRESS = 'default/oom-single-container';
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
  saveRun('0101-old', '2025-01-01T00:00:00.000Z');
  saveRun('0102-new', '2025-01-02T00:00:00.000Z');
});
afterEach(() => rmSync(home, { recursive: true }));

/** A run with other cells, whose totals count them. */
function withCells({ run, startedAt }: RunResult, cells: CellResult[]): RunResult {
  return createRunOf(cells, { run, startedAt });
}

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

function saveRun(run: string, startedAt: string): void {
  const because = [
    {
      source: 'kmsg',
      at: startedAt,
      file: 'node-1/kmsg.log',
      line: 7,
      text: `Killed process 812 (eater) in ${run}`,
    },
  ];
  const cell: CellResult = {
    address: ADDRESS,
    variant: { ...DEFAULT_VARIANT },
    scenario: 'oom-single-container',
    verdict: 'passed',
    expected: { killer: 'memcg-oom' },
    attribution: { killer: 'memcg-oom', level: 'pod', victim: 'eater/eater', confidence: 'proven', because },
    claims: [{ layer: 'api', says: 'OOMKilled, exit 137', agrees: true }],
    mismatches: [],
    timings: { restoreMs: 1, deployMs: 1, verdictMs: 1, totalMs: 9000 },
    evidence: `cells/${ADDRESS}`,
  };
  const record: CellRecord = {
    formatVersion: 1,
    address: ADDRESS,
    variant: DEFAULT_VARIANT,
    scenario: cell.scenario,
    expected: { killer: 'memcg-oom' },
    victim: { namespace: 'default', selector: 'app=eater', container: 'eater' },
    nodes: ['node-1'],
    startedAt,
    deployedAt: startedAt,
    endedAt: startedAt,
    stimuli: [],
    lost: [],
  };
  const result: RunResult = {
    formatVersion: 1,
    run,
    startedAt,
    host: {},
    accelerator: 'tcg',
    totals: { passed: 1, failed: 0, inconclusive: 0, skipped: 0, interrupted: 0 },
    cells: [cell],
  };
  write(join(home, 'runs', run, 'result.json'), result);
  write(join(home, 'runs', run, 'cells', ADDRESS, 'cell.json'), record);
}

describe('lab why', () => {
  it('explains the newest run that has the cell, with file and line of the proof', async () => {
    const { status, stdout, stderr } = await runCli(home, ['why', ADDRESS]);
    expect(stderr).toBe('');
    expect(stdout).toContain('memcg-oom');
    expect(stdout).toContain('in 0102-new');
    expect(stdout).toContain('node-1/kmsg.log:7');
    expect(status).toBe(0);
  });

  it('explains another run when told, and takes a bare scenario for the default variant', async () => {
    const { stdout } = await runCli(home, ['why', 'oom-single-container', '--run', '0101-old']);
    expect(stdout).toContain('in 0101-old');
  });

  it('answers in JSON', async () => {
    const { stdout } = await runCli(home, ['why', ADDRESS, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      run: '0102-new',
      cell: { attribution: { killer: 'memcg-oom' } },
    });
  });

  it('names the nearest address and the runs there are', async () => {
    const mistyped = await runCli(home, ['why', 'default/oom-single-contaner']);
    expect(mistyped.stderr).toContain(`try: did you mean ${ADDRESS}?`);
    expect(mistyped.status).toBe(2);
    const unknown = await runCli(home, ['why', ADDRESS, '--run', '9999']);
    expect(unknown.stderr).toContain('try: one of: 0102-new, 0101-old');
    expect(unknown.status).toBe(2);
  });
});

describe('lab why about a cell without a killer', () => {
  function replaceCell(change: Partial<CellResult>): void {
    const path = join(home, 'runs/0102-new/result.json');
    const result = JSON.parse(readFileSync(path, 'utf8')) as RunResult;
    write(
      path,
      withCells(
        result,
        result.cells.map((cell) => ({ ...cell, ...change })),
      ),
    );
  }
  const attribution = { killer: 'unknown', victim: '', confidence: 'none', because: [] } as const;
  const unseen = { attribution: { ...attribution, because: [] }, claims: [] };

  it('has the rule of a skipped one, where it is from, and what can be run', async () => {
    const note = 'v1-is-gone: no cgroup v1 (https://a.test/x)';
    replaceCell({ ...unseen, verdict: 'skipped', expected: {}, evidence: '', note });
    const { status, stdout } = await runCli(home, ['why', ADDRESS]);
    expect(stdout).toBe(
      [
        `${ADDRESS}: skipped`,
        '',
        'rule      v1-is-gone',
        'reason    no cgroup v1',
        'source    https://a.test/x',
        'try       npx whodunit list scenario=oom-single-container set=full   (where this scenario can run)',
        'run       0102-new',
        '',
      ].join('\n'),
    );
    expect(status).toBe(0);
  });

  it('says of an interrupted one that nothing was seen, and names no folder that is not there', async () => {
    replaceCell({
      ...unseen,
      verdict: 'interrupted',
      evidence: 'cells/default/gone',
      note: 'the run was interrupted',
    });
    const { stdout } = await runCli(home, ['why', ADDRESS]);
    expect(stdout).toBe(
      [
        `${ADDRESS}: interrupted`,
        '',
        'note      the run was interrupted',
        'expected  memcg-oom: not observed',
        `try       npx whodunit run ${ADDRESS}`,
        'run       0102-new',
        '',
      ].join('\n'),
    );
  });
});

describe('lab report', () => {
  it('summarises the newest run and writes its HTML and JUnit files', async () => {
    const { status, stdout } = await runCli(home, ['report']);
    expect(stdout).toContain('1 passed, 0 failed (emulated, run 0102-new)');
    expect(readFileSync(join(home, 'runs/0102-new/junit.xml'), 'utf8')).toContain(
      'name="oom-single-container"',
    );
    expect(readFileSync(join(home, 'runs/0102-new/report.html'), 'utf8')).toContain('node-1/kmsg.log:7');
    expect(existsSync(join(home, 'runs/0101-old/junit.xml'))).toBe(false);
    expect(status).toBe(0);
  });

  it('says in the HTML what changed since the last run that had the cell, and what cannot be read', async () => {
    const path = join(home, 'runs/0101-old/result.json');
    const old = JSON.parse(readFileSync(path, 'utf8')) as RunResult;
    write(
      path,
      withCells(
        old,
        old.cells.map((cell) => ({ ...cell, verdict: 'failed' })),
      ),
    );
    writeFileSync(join(home, 'runs/0102-new/cells', ADDRESS, 'cell.json'), '{}');
    const { stdout } = await runCli(home, ['report', '--format', 'html']);
    expect(stdout).toMatch(
      /verdict failed .*<strong>passed<\/strong>\s*<span class="hint">since 2025-01-01, run 0101-old/,
    );
    expect(stdout).toMatch(/The evidence could not be read: error LAB_CONFIG: [^<]*cell\.json/);
    const before = await runCli(home, ['report', '0101-old', '--format', 'html']);
    expect(before.stdout).not.toContain('Changed since');
  });

  it('prints the saved result as it is with --json, and every other format with --format', async () => {
    const json = await runCli(home, ['report', '0101-old', '--json']);
    expect(JSON.parse(json.stdout)).toEqual(
      JSON.parse(readFileSync(join(home, 'runs/0101-old/result.json'), 'utf8')),
    );
    const inFormat = async (format: string) => (await runCli(home, ['report', '--format', format])).stdout;
    expect(await inFormat('markdown')).toContain(
      '| passed | `default/oom-single-container` | memcg-oom | memcg-oom at pod level |',
    );
    expect(await inFormat('html')).toMatch(/^<!doctype html>/);
    expect(await inFormat('junit')).toMatch(/^<\?xml/);
    expect(JSON.parse(await inFormat('json'))).toMatchObject({ run: '0102-new' });
    const mistyped = await runCli(home, ['report', '--format', 'markdwn']);
    expect(mistyped.stderr).toContain('there is no format "markdwn" (did you mean "markdown"?)');
    expect(mistyped.status).toBe(2);
  });

  it('prints with --table what each layer called each end, and the cells that left nothing', async () => {
    const run = join(home, 'runs/0101-old');
    const result = JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as RunResult;
    const address = 'default/cron-job-oom';
    cpSync(
      join(PROJECT, 'test/fixtures/evidence/cron-job-oom--oom-event-lost'),
      join(run, 'cells', address),
      {
        recursive: true,
      },
    );
    const cell = result.cells[0]!;
    const skipped = { address: 'v1/x', evidence: 'cells/v1/x', verdict: 'skipped', note: 'a rule' } as const;
    const cells = [
      { ...cell, address, scenario: 'cron-job-oom', evidence: `cells/${address}` },
      { ...cell, ...skipped, scenario: 'x', variant: { ...cell.variant, cgroup: 'v1' } },
    ];
    write(join(run, 'result.json'), withCells(result, cells));
    const { status, stdout, stderr } = await runCli(home, ['report', '0101-old', '--table']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\*\*1 end, 1 with a reason/);
    expect(stdout).toContain('| `default/cron-job-oom` | group-kill, pod level, failed | 137, `Error` ✗, ');
    expect(stdout).toContain('- `v1/x`: skipped, a rule');
    expect(status).toBe(0);
  });

  it('refuses --table together with another format', async () => {
    for (const other of [['--json'], ['--format', 'html']]) {
      const { status, stderr } = await runCli(home, ['report', '--table', ...other]);
      expect(stderr).toContain('is not used here: --table prints only Markdown');
      expect(status).toBe(2);
    }
  });

  it('skips a run that crashed before it had a result', async () => {
    mkdirSync(join(home, 'runs/0103-crashed'));
    const { stdout, stderr } = await runCli(home, ['report']);
    expect(stdout).toContain('run 0102-new');
    expect(stderr).toBe('');
  });
});
