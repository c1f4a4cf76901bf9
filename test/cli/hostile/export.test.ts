import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ExportResult } from '../../../lab/model/saved/answers.ts';
import type { CellResult, Rejudged, RunResult } from '../../../lab/model/saved/formats.ts';
import { replaySchema, type SavedPlan } from '../../../lab/model/saved/replay.ts';
import { PLANTED } from '../../fixtures/planted-secrets.ts';
import { createCell } from '../../unit/report/made-run.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';
import { saveRun } from '../support/save-run.ts';

const CAPTURE = join(PROJECT, 'test/fixtures/evidence/sigkill-from-node');
const ADDRESS = 'default/sigkill-from-node';
const TOKEN = 'abcdef.0123456789abcdef';
const RUN = '20260101-000000-0000';
let home: string;
let cell: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-export-'));
  const run = join(home, 'runs', RUN);
  cell = join(run, 'cells', ADDRESS);
  cpSync(CAPTURE, cell, { recursive: true });
  rmSync(join(cell, 'expected.json'), { force: true });
  appendFileSync(join(cell, 'node-1/kubelet.jsonl'), `{"MESSAGE":"joined with --token ${TOKEN}"}\n`);
  const [judged] = (JSON.parse((await runCli(home, ['judge', cell, '--json'])).stdout) as Rejudged).cells;
  const record = JSON.parse(readFileSync(join(cell, 'cell.json'), 'utf8')) as CellResult;
  const { address, verdict, attribution, claims, mismatches } = judged!;
  const saved: CellResult = {
    address,
    verdict,
    attribution,
    claims,
    mismatches,
    scenario: record.scenario,
    variant: record.variant,
    expected: record.expected,
    evidence: `cells/${ADDRESS}`,
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 1 },
  };
  writeFileSync(join(cell, 'result.json'), JSON.stringify(saved));
  const result: RunResult = {
    formatVersion: 1,
    run: RUN,
    startedAt: '2026-01-01T00:00:00.000Z',
    host: {},
    accelerator: 'tcg',
    totals: { passed: 1, failed: 0, inconclusive: 0, skipped: 0, interrupted: 0 },
    cells: [saved],
  };
  writeFileSync(join(run, 'result.json'), JSON.stringify(result));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Exports the run and unpacks the archive; returns the folder in it. */
async function exportAndUnpack(word: string, name: string): Promise<string> {
  const out = join(home, 'exported.tar.gz');
  const { status, stdout } = await runCli(home, ['export', word, '--out', out]);
  expect(stdout).toMatch(/: 1 cell, \d+ files$/m);
  expect(stdout).toMatch(
    /^replaced [1-9]\d* values? in \d+ files? by \d+ rules? \(listed in contents\.json\)$/m,
  );
  expect(stdout).toMatch(/^other secrets may be left: look through it before you send it$/m);
  expect(status).toBe(0);
  const to = join(home, 'unpacked');
  mkdirSync(to);
  execFileSync('tar', ['-xzf', out, '-C', to]);
  return join(to, name);
}

describe('lab export', () => {
  it('packs a run of which the judge says the same, and in which no secret is left', async () => {
    const folder = await exportAndUnpack(RUN, RUN);
    const text = readFileSync(join(folder, 'cells', ADDRESS, 'node-1/kubelet.jsonl'), 'utf8');
    expect(text).toContain('joined with --token [redacted]');
    expect(() => execFileSync('grep', ['-rF', TOKEN, folder])).toThrow();
    const { status, stdout } = await runCli(home, ['judge', folder, '--json']);
    const [judged] = (JSON.parse(stdout) as Rejudged).cells;
    expect(judged).toMatchObject({ address: ADDRESS, verdict: 'passed', changed: [] });
    expect(status).toBe(0);
    const replay = replaySchema.parse(parse(readFileSync(join(folder, 'replay.yaml'), 'utf8')));
    expect(replay.cells).toMatchObject([{ address: ADDRESS, repeat: 1, variant: { os: 'bookworm' } }]);
    const { sha256 } = JSON.parse(readFileSync(join(folder, 'contents.json'), 'utf8')) as { sha256: object };
    expect(Object.keys(sha256)).toEqual(
      expect.arrayContaining(['replay.yaml', 'result.json', `cells/${ADDRESS}/node-1/kmsg.log`]),
    );
  });

  it('packs a single cell', async () => {
    const folder = await exportAndUnpack(ADDRESS, `${RUN}-default-sigkill-from-node`);
    expect(existsSync(join(folder, 'cells', ADDRESS, 'cell.json'))).toBe(true);
    expect(existsSync(join(folder, 'result.json'))).toBe(false);
    expect(existsSync(join(folder, 'replay.yaml'))).toBe(true);
  });

  it('packs that no pod started, which can be asked again, and not what a rule refused', async () => {
    const path = join(home, 'runs', RUN, 'result.json');
    const result = JSON.parse(readFileSync(path, 'utf8')) as RunResult;
    const startFailure = { id: 'busy', expected: true, text: 'is busy', seen: 'it is busy' };
    const skipped = { ...result.cells[0]!, verdict: 'skipped' as const, evidence: '' };
    const totals = { passed: 0, failed: 0, inconclusive: 0, skipped: 1, interrupted: 0 };
    writeFileSync(path, JSON.stringify({ ...result, totals, cells: [{ ...skipped, startFailure }] }));
    const folder = await exportAndUnpack(RUN, RUN);
    const replay = replaySchema.parse(parse(readFileSync(join(folder, 'replay.yaml'), 'utf8')));
    expect(replay.cells).toMatchObject([{ address: ADDRESS, startFailure: 'busy', versions: {} }]);
    writeFileSync(path, JSON.stringify({ ...result, totals, cells: [skipped] }));
    const refused = await runCli(home, ['export', RUN, '--out', join(home, 'x.tar.gz')]);
    expect(refused.stderr).toContain('none of its cells was run, so there is nothing to repeat');
  });

  it.each([
    [['2027'], 'there is no folder or run "2027"'],
    [['default/sigkill-from-nod'], 'did you mean default/sigkill-from-node?'],
    [[CAPTURE], 'is not the folder of a run'],
    [[RUN, '--out', PROJECT], 'already exists'],
  ])('refuses %j, and writes nothing', async (words, message) => {
    const { status, stderr } = await runCli(home, ['export', ...words]);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  it('refuses a packed file that it cannot look into', async () => {
    writeFileSync(join(cell, 'old.log.gz'), 'no gzip');
    const { status, stderr } = await runCli(home, ['export', RUN, '--out', join(home, 'x.tar.gz')]);
    expect(stderr).toContain(
      'error LAB_STATE_FILE: cells/default/sigkill-from-node/old.log.gz cannot be read',
    );
    expect(status).toBe(3);
    expect(existsSync(join(home, 'x.tar.gz'))).toBe(false);
  });
});

describe('secrets in all kinds of files', () => {
  it('are replaced and listed by file and rule without their values, and the judge says the same', async () => {
    for (const { file, text } of PLANTED) {
      mkdirSync(dirname(join(cell, file)), { recursive: true });
      appendFileSync(join(cell, file), `${text}\n`);
    }
    const archive = join(home, 'x.tar.gz');
    const exported = await runCli(home, ['export', RUN, '--out', archive, '--json']);
    expect(exported.status).toBe(0);
    const { redacted } = JSON.parse(exported.stdout) as ExportResult;
    execFileSync('tar', ['-xzf', archive, '-C', home]);
    const folder = join(home, RUN);
    const contents = readFileSync(join(folder, 'contents.json'), 'utf8');
    expect(JSON.parse(contents)).toMatchObject({ redacted });
    for (const { file } of PLANTED)
      expect(redacted.map((one) => one.file)).toContain(`cells/${ADDRESS}/${file}`);
    for (const { secret } of PLANTED) {
      expect([exported.stdout, contents].join('\n')).not.toContain(secret);
      expect(() => execFileSync('grep', ['-rF', '--', secret, folder]), secret).toThrow();
    }
    const written = execFileSync('grep', [
      '-rhoF',
      '--exclude=contents.json',
      '[redacted]',
      folder,
    ]).toString();
    expect(redacted.reduce((sum, { count }) => sum + count, 0)).toBe(written.trim().split('\n').length);
    const [before, after] = await Promise.all(
      [cell, join(folder, 'cells', ADDRESS)].map(async (path) => {
        const { stdout } = await runCli(home, ['judge', path, '--json']);
        return (JSON.parse(stdout) as Rejudged).cells[0]!;
      }),
    );
    expect(after!.attribution).toEqual(before!.attribution);
    expect([after!.verdict, after!.claims, after!.mismatches]).toEqual([
      before!.verdict,
      before!.claims,
      before!.mismatches,
    ]);
    expect(before!.attribution.killer).toBe('external-signal');
  });
});

describe('lab repro of a replay', () => {
  it('is refused with everything that is not as it was, and starts nothing', async () => {
    const components = [
      { name: 'kubernetes', version: '1.34.1', digest: 'a'.repeat(64) },
      { name: 'workloads', version: '1', digest: 'b'.repeat(64) },
    ];
    const origin = {
      formatVersion: 1,
      scenario: { name: 'sigkill-from-node', digest: 'c'.repeat(64) },
      world: { name: 'default', key: 'd'.repeat(16), image: 'e'.repeat(64) },
      components,
    };
    writeFileSync(join(cell, 'origin.json'), JSON.stringify(origin));
    const folder = await exportAndUnpack(RUN, RUN);
    const { status, stderr } = await runCli(home, ['repro', join(folder, 'replay.yaml')]);
    expect(stderr).toContain('4 problems in what is to be repeated');
    expect(stderr).toContain(
      'cells.0.origin.scenario.digest: expected cccccccccccc of scenarios/sigkill-from-node/',
    );
    expect(stderr).toContain(
      'cells.0.origin.components.0.version: expected kubernetes 1.34.1, received kubernetes 1.34.2',
    );
    expect(stderr).toContain(
      'cells.0.origin.components.1.digest: expected bbbbbbbbbbbb of workloads 1, received nothing',
    );
    expect(stderr).toContain('cells.0.origin.world.image: expected image eeeeeeeeeeee of world default');
    expect(status).toBe(2);
  });

  it('is refused when its run saved no digests, and when it is no replay', async () => {
    const folder = await exportAndUnpack(RUN, RUN);
    const path = join(folder, 'replay.yaml');
    const without = await runCli(home, ['repro', path]);
    expect(without.stderr).toContain('cells.0.origin: expected what the cell was made of, received nothing');
    expect(without.status).toBe(2);
    const replay = parse(readFileSync(path, 'utf8')) as { cells: { scenario: string }[] };
    replay.cells[0]!.scenario = 'sigkill-from-nod';
    writeFileSync(path, stringify({ ...replay, rum: 1 }));
    const wrong = await runCli(home, ['repro', path]);
    expect(wrong.stderr).toContain('rum');
    expect(wrong.stderr).toContain('(did you mean "run"?)');
    expect(wrong.status).toBe(2);
    const own = await runCli(home, ['repro', path, '--repeat', '2']);
    expect(own.stderr).toContain('a replay has its own values, so it cannot be combined with --repeat');
    expect(own.status).toBe(2);
  });
});

describe('judge of an unpacked export', () => {
  /** The unpacked run, and what judge says of it after something was done to it. */
  async function judgeAfter(
    change: (run: string) => void,
  ): Promise<{ status: number; stdout: string; json: Rejudged }> {
    const archive = join(home, 'x.tar.gz');
    expect((await runCli(home, ['export', RUN, '--out', archive])).status).toBe(0);
    execFileSync('tar', ['-xzf', archive, '-C', home]);
    const run = join(home, RUN);
    change(run);
    const { status, stdout } = await runCli(home, ['judge', run]);
    const { stdout: json } = await runCli(home, ['judge', run, '--json']);
    return { status, stdout, json: JSON.parse(json) as Rejudged };
  }

  it('says nothing of one that is as it was exported', async () => {
    const { stdout, json } = await judgeAfter(() => undefined);
    expect(stdout).not.toContain('exported');
    expect(json.notAsExported).toBeUndefined();
  });

  it('names files that were changed, are missing and were added, and exits 3', async () => {
    const { status, stdout, json } = await judgeAfter((run) => {
      appendFileSync(join(run, 'cells', ADDRESS, 'node-1/kmsg.log'), '6,1,1,-;forged\n');
      rmSync(join(run, 'cells', ADDRESS, 'events.jsonl'));
      writeFileSync(join(run, 'cells', ADDRESS, 'node-1/cri.jsonl'), '');
    });
    expect(status).toBe(3);
    expect(stdout).toContain('this is not the evidence that was exported (contents.json)');
    const found = (json.notAsExported ?? []).map(({ file, is }) => `${is} ${file.split('/').at(-1) ?? ''}`);
    expect(found.toSorted()).toEqual(['added cri.jsonl', 'changed kmsg.log', 'missing events.jsonl']);
  });
});

describe('run --last-failed', () => {
  /** What it would run, and what it says, when the saved run has these cells as failed. */
  async function planAfter(
    addresses: readonly string[],
  ): Promise<{ status: number; stdout: string; stderr: string }> {
    const path = join(home, 'runs', RUN, 'result.json');
    const result = JSON.parse(readFileSync(path, 'utf8')) as RunResult;
    const [saved] = result.cells;
    const cells = addresses.map((address) => {
      const [, scenario = saved!.scenario] = /\/([^[]+)/.exec(address) ?? [];
      return { ...saved!, address, scenario, verdict: 'failed' as const };
    });
    const totals = { ...result.totals, passed: 0, failed: cells.length };
    writeFileSync(path, JSON.stringify({ ...result, totals, cells }));
    return runCli(home, ['run', '--last-failed', '--dry-run']);
  }

  it('takes a saved address as an address: it selects nothing', async () => {
    const { status, stdout, stderr } = await planAfter(['default/*']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('cell default/* is left out: ');
  });

  it.each(['set=full', '*', 'kubernetes=*', 'default/oom-single-container[*=*]'])(
    'refuses a result with the address %s, which its cell cannot have',
    async (word) => {
      const { status, stdout, stderr } = await planAfter([word]);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(
        `is not a result of this version (cells.0.address: expected ${ADDRESS.split('/')[0]}/`,
      );
      expect(stderr).toContain(`received "${word}")`);
    },
  );

  it('names a cell whose scenario is gone, and runs the others', async () => {
    const { status, stdout, stderr } = await planAfter([ADDRESS, 'default/gone-for-ever']);
    expect(stderr).toContain('cell default/gone-for-ever is left out: there is no scenario "gone-for-ever"');
    expect(stdout).toContain('sigkill-from-node');
    expect(stdout).not.toContain('gone-for-ever');
    expect(status).toBe(0);
  });
});

/** What a word of the command line would select more than one cell by. */
const SELECTORS = ['set=full', '*', 'kubernetes=*', 'default/*', 'default/sigkill-from-node[*=*]'];

describe('run --resume', () => {
  it.each(SELECTORS)('runs nothing of a plan with the address %s', async (word) => {
    const state = mkdtempSync(join(home, 'state-'));
    saveRun({ home: state, run: RUN }, ['plain-exit', 'exit-one'], [createCell('plain-exit')]);
    const path = join(state, 'runs', RUN, 'plan.json');
    const plan = JSON.parse(readFileSync(path, 'utf8')) as SavedPlan;
    const cells = plan.cells.map((planned) =>
      planned.scenario === 'exit-one' ? { ...planned, address: word } : planned,
    );
    writeFileSync(path, JSON.stringify({ ...plan, cells }));
    const { status, stdout, stderr } = await runCli(state, ['run', '--resume', '--dry-run']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`"${word}" is not a cell: `);
  });
});

describe('a replay', () => {
  it.each(SELECTORS)('is refused with the address %s, which its cell cannot have', async (word) => {
    const folder = await exportAndUnpack(RUN, RUN);
    const path = join(folder, 'replay.yaml');
    const replay = parse(readFileSync(path, 'utf8')) as { cells: { address: string }[] };
    replay.cells[0]!.address = word;
    writeFileSync(path, stringify(replay));
    const { status, stdout, stderr } = await runCli(home, ['repro', path, '--dry-run']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cells.0.address: expected ${ADDRESS}, received "${word}"`);
  });
});
