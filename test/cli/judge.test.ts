import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rejudged } from '../../lab/model/saved/formats.ts';
import { PROJECT, runCli } from './support/run-cli.ts';

const CAPTURE = join(PROJECT, 'test/fixtures/evidence/sigkill-from-node');
const CAPTURE_RECORD = join(CAPTURE, 'cell.json');
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-cli-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('lab judge', () => {
  it('names the killer of a saved cell, with what to do, and that there is nothing to compare with', async () => {
    const { status, stdout, stderr } = await runCli(home, ['judge', CAPTURE]);
    expect(stderr).toBe('');
    expect(stdout).toContain('killer    external-signal (from-node), proven');
    expect(stdout).toMatch(/^do {8}\S/m);
    expect(stdout).toContain('changed   nothing to compare with: no saved result');
    expect(status).toBe(0);
  });

  it('says which runc ran what, where the variant names one', async () => {
    const capture = join(PROJECT, 'test/fixtures/evidence/oom-single-container--runc@1.5.2');
    const { stdout } = await runCli(home, ['judge', capture]);
    expect(stdout).toContain('\nruntime   runc 1.5.2 ran the workloads and the control plane\n');
    expect((await runCli(home, ['judge', CAPTURE])).stdout).not.toContain('\nruntime ');
  });

  it('finds every cell of a run, and says what changed since its result was saved', async () => {
    const cell = join(home, 'runs/0101/cells/default/sigkill-from-node');
    cpSync(CAPTURE, cell, { recursive: true });
    const [first] = (JSON.parse((await runCli(home, ['judge', home, '--json'])).stdout) as Rejudged).cells;
    const saved = {
      address: first?.address,
      scenario: 'sigkill-from-node',
      expected: {},
      evidence: '',
      variant: (JSON.parse(readFileSync(join(cell, 'cell.json'), 'utf8')) as { variant: object }).variant,
      verdict: first?.verdict,
      attribution: first?.attribution,
      claims: first?.claims,
      mismatches: [],
      timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
    };
    writeFileSync(join(cell, 'result.json'), JSON.stringify(saved));
    const same = await runCli(home, ['judge', home, '--json']);
    expect((JSON.parse(same.stdout) as Rejudged).cells[0]?.changed).toEqual([]);
    expect(same.status).toBe(0);

    const attribution = { ...first?.attribution, killer: 'unknown', confidence: 'none' };
    writeFileSync(join(cell, 'result.json'), JSON.stringify({ ...saved, attribution }));
    const changed = await runCli(home, ['judge', home]);
    expect(changed.stdout).toContain('changed   killer: unknown -> external-signal');
    expect(changed.status).toBe(1);
  });

  it('judges a saved result that it cannot read as if there were none, and says so', async () => {
    const cell = join(home, 'cell');
    cpSync(CAPTURE, cell, { recursive: true });
    const changedWith = async (text: string): Promise<string> => {
      writeFileSync(join(cell, 'result.json'), text);
      const { status, stdout } = await runCli(home, ['judge', cell]);
      expect(status).toBe(0);
      return /^changed .*$/m.exec(stdout)?.[0] ?? '';
    };
    expect(await changedWith('{"address":1}')).toMatch(
      /^changed {3}result\.json was written by another version \(address: /,
    );
    expect(await changedWith('{')).toMatch(/^changed {3}result\.json cannot be read \(/);
  });
});

describe('lab judge of a run', () => {
  const NAMES = ['plain-exit', 'sigkill-from-node', 'within-limits'];

  /** Saves a run of captures, each cell as it is judged today; returns its folder. */
  async function saveRunOf(): Promise<string> {
    const base = join(home, 'base');
    for (const name of NAMES)
      cpSync(join(PROJECT, 'test/fixtures/evidence', name), join(base, name), { recursive: true });
    const plan = join(home, 'plan.json');
    await runCli(home, ['plan', '--evidence', base, '--shards', '1', '--out', plan]);
    await runCli(home, ['run', '--plan', plan, '--shard', '1', '--evidence', base]);
    const [run = ''] = readdirSync(join(home, 'runs'));
    return join(home, 'runs', run);
  }

  it('has a line for each cell and a total, and says which evidence is not there', async () => {
    const run = await saveRunOf();
    const whole = await runCli(home, ['judge', 'latest']);
    const lines = (text: string, name: string): string[] =>
      text.split('\n').filter((line) => line.startsWith(name));
    expect(whole.status).toBe(0);
    expect(lines(whole.stdout, 'total')).toEqual(['total     3 judged, 3 passed, 0 changed']);
    expect(lines(whole.stdout, 'missing')).toEqual([]);

    rmSync(join(run, 'cells/default/plain-exit'), { recursive: true });
    const { status, stdout } = await runCli(home, ['judge', 'latest']);
    expect(lines(stdout, 'missing')).toEqual([
      'missing   default/plain-exit: its evidence is not there (cells/default/plain-exit)',
    ]);
    expect(lines(stdout, 'total')).toEqual(['total     2 judged of 3, 2 passed, 0 changed, 1 missing']);
    expect(status).toBe(3);
    const json = JSON.parse((await runCli(home, ['judge', 'latest', '--json'])).stdout) as Rejudged;
    expect(json.cells.map(({ address }) => address)).toEqual([
      'default/sigkill-from-node',
      'default/within-limits',
    ]);
    expect(json.missing).toEqual([{ address: 'default/plain-exit', evidence: 'cells/default/plain-exit' }]);
  });

  it('says that all of its evidence is gone', async () => {
    const run = await saveRunOf();
    rmSync(join(run, 'cells'), { recursive: true });
    const judged = await runCli(home, ['judge', 'latest']);
    expect([judged.status, judged.stdout]).toEqual([
      3,
      [
        ...NAMES.map(
          (name) => `missing   default/${name}: its evidence is not there (cells/default/${name})`,
        ),
        'total     0 judged of 3, 0 changed, 3 missing',
        'next      npx whodunit run default/plain-exit',
        '',
      ].join('\n'),
    ]);
    const checked = await runCli(home, ['check', 'latest']);
    expect([checked.status, checked.stdout]).toEqual([
      3,
      expect.stringMatching(
        /total {5}0 proofs checked of 3, 0 accepted, 3 missing\nnext {6}npx whodunit run default\/plain-exit\n$/,
      ),
    ]);
  });
});

describe('what lab judge takes', () => {
  const OLD = '20260101-101500-aa11';
  const NEW = '20260102-101500-bb22';

  function save(run: string, scenario: string): void {
    cpSync(CAPTURE, join(home, 'runs', run, 'cells/default', scenario), { recursive: true });
  }

  async function foldersOf(...words: string[]): Promise<string[]> {
    const { stdout } = await runCli(home, ['judge', ...words, '--json']);
    return (JSON.parse(stdout) as Rejudged).cells.map(({ folder }) => relative(join(home, 'runs'), folder));
  }

  beforeEach(() => {
    save(OLD, 'a');
    save(NEW, 'b');
    save(NEW, 'c');
  });

  it('is a run by its id, the beginning of its id, or `latest`', async () => {
    const ofNew = [`${NEW}/cells/default/b`, `${NEW}/cells/default/c`];
    expect(await foldersOf(OLD)).toEqual([`${OLD}/cells/default/a`]);
    expect(await foldersOf('20260102')).toEqual(ofNew);
    expect(await foldersOf('latest')).toEqual(ofNew);
  });

  it('is several of them and of folders, each cell once', async () => {
    const folder = join(home, 'runs', NEW, 'cells/default/c');
    expect(await foldersOf(folder, OLD, 'latest')).toEqual([
      `${NEW}/cells/default/c`,
      `${OLD}/cells/default/a`,
      `${NEW}/cells/default/b`,
    ]);
  });

  it.each([
    [
      'a beginning that two runs have',
      '2026',
      `2 runs begin with "2026"\n  try: more of the id: ${OLD}, ${NEW}`,
    ],
    [
      'a run that there is not',
      `${OLD}1`,
      `there is no folder or run "${OLD}1" (did you mean "${OLD}"?)\n  try: npx whodunit runs lists the runs`,
    ],
    ['a file', CAPTURE_RECORD, `"${CAPTURE_RECORD}" is a file\n  try: name its folder`],
    [
      'a folder without cells',
      'docs/schemas',
      'no cell was saved in "docs/schemas"\n  try: npx whodunit runs lists the runs',
    ],
  ])('is not %s', async (_, word, message) => {
    const { status, stdout, stderr } = await runCli(home, ['judge', word]);
    expect(stderr).toContain(`error LAB_USAGE: ${message}`);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('is not a run of a state folder that has none', async () => {
    rmSync(join(home, 'runs'), { recursive: true });
    const { status, stderr } = await runCli(home, ['judge', 'latest']);
    expect(stderr).toContain('there is no folder or run "latest", and no run was saved yet');
    expect(status).toBe(2);
  });
});

describe('lab judge and a wrong cell.json', () => {
  let cell: string;
  let record: Record<string, unknown>;
  beforeEach(() => {
    cell = join(home, 'cell');
    cpSync(CAPTURE, cell, { recursive: true });
    record = JSON.parse(readFileSync(CAPTURE_RECORD, 'utf8')) as Record<string, unknown>;
  });

  /** What it prints on standard error; nothing else is printed, and the exit code is 2. */
  async function refusal(...folders: string[]): Promise<string> {
    const { status, stdout, stderr } = await runCli(home, ['judge', ...folders]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/^ +at /m);
    return stderr.replaceAll(`${home}/`, '');
  }

  const save = (change: object): void =>
    writeFileSync(join(cell, 'cell.json'), JSON.stringify({ ...record, ...change }));

  it('that is no record at all is told in one message', async () => {
    const texts: Readonly<Record<string, string>> = {
      '{}': 'formatVersion: expected 1, received nothing',
      '{"formatVersion":"1"}': 'formatVersion: expected 1, received "1"',
      '[]': 'expected an object, received []',
      null: 'expected an object, received null',
      '': 'expected JSON, received an empty file',
      '{"formatVersion":1,': 'expected JSON, received other text (',
    };
    const folders = Object.keys(texts).map((text, index) => {
      const folder = join(home, `cell-${index}`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'cell.json'), text);
      return folder;
    });
    const problems = Object.values(texts).map((problem, index) => `  cell-${index}/cell.json: ${problem}`);
    const lines = (await refusal(...folders)).split('\n');
    expect(lines[0]).toBe('error LAB_CONFIG: 6 problems in what was saved');
    problems.forEach((problem, index) => expect(lines[index + 1]).toContain(problem));
    expect(lines.slice(7)).toEqual([
      '  try: name the folder of a cell as a run saved it; docs/schemas/cell.schema.json says what is in its cell.json',
      '',
    ]);
    expect(await refusal(folders[0] ?? '')).toMatch(/^error LAB_CONFIG: one problem in what was saved\n/);
  });

  it('that is a folder is told, and so is evidence that is one', async () => {
    rmSync(join(cell, 'cell.json'));
    mkdirSync(join(cell, 'cell.json'));
    expect(await refusal(cell)).toContain('cell/cell.json: expected a file, received a folder');
    rmSync(join(cell, 'cell.json'), { recursive: true });
    save({});
    for (const path of ['node-1/kmsg.log', 'pods.jsonl']) {
      rmSync(join(cell, path));
      mkdirSync(join(cell, path, 'x'), { recursive: true });
    }
    expect(await refusal(cell)).toBe(
      'error LAB_CONFIG: 2 problems in the evidence\n' +
        '  cell/node-1/kmsg.log: expected a file, received a folder\n' +
        '  cell/pods.jsonl: expected a file, received a folder\n' +
        '  try: npx whodunit help judge\n',
    );
  });

  it('of a newer format is refused, with what can judge it', async () => {
    save({ formatVersion: 2, expected: { killer: 'somebody new' } });
    expect(await refusal(cell)).toBe(
      'error LAB_CONFIG: one problem in what was saved\n' +
        '  cell/cell.json: formatVersion: expected 1, received 2 of a newer whodunit\n' +
        '  try: judge it with the version of whodunit that saved it, or a later one\n',
    );
  });

  it('has every problem of every cell told at once, before the first is judged', async () => {
    save({
      expected: { killer: 'self-exitt', mood: 'good' },
      nodes: 'node-1',
      startedAt: 'yesterday',
      victim: {},
    });
    const other = join(home, 'other');
    cpSync(CAPTURE, other, { recursive: true });
    writeFileSync(join(other, 'cell.json'), '[]');
    const printed = await refusal(cell, CAPTURE, other);
    expect(printed).toContain('error LAB_CONFIG: 8 problems in what was saved\n');
    expect(printed).toContain('received "self-exitt" (did you mean "self-exit"?)');
    for (const problem of [
      'expected.mood: expected one of the fields killer, ',
      'nodes: expected a list, received "node-1"',
      'startedAt: expected an ISO 8601 time, received "yesterday"',
      'victim.container: expected text, received nothing',
    ])
      expect(printed).toMatch(new RegExp(`^  cell/cell\\.json:1:\\d+: ${problem}`, 'm'));
    expect(printed).toContain('other/cell.json: expected an object, received []');
  });

  it('is judged when it only has fields of a later lab, or lacks an axis of a later lab', async () => {
    save({ collectedAt: '2030-01-01T00:00:00Z', variant: { cgroup: 'v2', weather: 'fine' } });
    const { status, stdout } = await runCli(home, ['judge', cell]);
    expect(stdout).toContain('killer    external-signal (from-node), proven');
    expect(status).toBe(0);
  });
});
