import { execFileSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CellResult, RunResult } from '../../../lab/model/saved/formats.ts';
import { createCell, createRunOf } from '../../unit/report/made-run.ts';
import { PROJECT, runCli, type Ended } from '../support/run-cli.ts';

const SAVED = '20250101-0900-before';
const SECRET = 'the secret of the host';
const CELL = 'cells/default/sigkill-beside-an-oom';
const ADDRESS = 'default/sigkill-beside-an-oom';

let base: string;
let home: string;
let run: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-hostile-'));
  home = join(base, 'home');
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
  run = join(home, 'runs', SAVED);
  writeFileSync(join(base, 'secret.json'), JSON.stringify({ formatVersion: 1, secret: SECRET }));
});
afterEach(() => rmSync(base, { recursive: true }));

const readResult = (): RunResult => JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as RunResult;
const writeResult = (result: unknown): void =>
  writeFileSync(join(run, 'result.json'), JSON.stringify(result));
const changeCell = (change: (cell: CellResult) => CellResult): void => {
  const result = readResult();
  const cells = result.cells.map(change);
  writeResult(createRunOf(cells, { run: result.run, startedAt: result.startedAt }));
};

/** Every verb that reads a saved run. */
const READERS: readonly (readonly string[])[] = [
  ['judge', SAVED],
  ['why', ADDRESS],
  ['report', SAVED],
  ['report', SAVED, '--table'],
  ['export', SAVED],
];

async function readAll(): Promise<Map<string, Ended>> {
  const ended = new Map<string, Ended>();
  for (const words of READERS) {
    const out = words[0] === 'export' ? ['--out', join(base, 'out.tar.gz')] : [];
    rmSync(join(base, 'out.tar.gz'), { force: true });
    ended.set(words.join(' '), await runCli(home, [...words, ...out]));
  }
  return ended;
}

/** What a stranger puts in the place of a file of evidence. */
const TRAPS: readonly (readonly [string, (path: string) => void])[] = [
  ['a link to a file of the host', (path) => symlinkSync(join(base, 'secret.json'), path)],
  ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ['a link to a device without an end', (path) => symlinkSync('/dev/zero', path)],
  ['a file of a terabyte without content', (path) => void execFileSync('truncate', ['-s', '1T', path])],
];

/** Where each trap is laid: evidence of every kind of trap, and the records beside it. */
const LAID = TRAPS.map(([name, make], index) => ({
  name,
  make,
  file: ['pods.jsonl', 'cell.json', 'effective.json', 'node-1/kmsg.log'][index] ?? '',
}));

describe('a file of a saved cell', () => {
  it.each(LAID)('that is $name ($file) is read by no verb, and none hangs', async ({ make, file: name }) => {
    const file = join(CELL, name);
    rmSync(join(run, file), { force: true });
    make(join(run, file));
    for (const [verb, { status, stdout, stderr }] of await readAll()) {
      expect(stdout + stderr, verb).not.toContain(SECRET);
      expect(stdout + stderr, verb).not.toContain('LAB_INTERNAL');
      expect(stdout, verb).not.toContain('judged again with the same result');
      expect([0, 2, 3], verb).toContain(status);
    }
    expect(readdirSync(base)).not.toContain('out.tar.gz');
  });
});

it('a file of the host is not written through the name of a report', async () => {
  for (const name of ['report.html', 'junit.xml']) linkSync(join(base, 'secret.json'), join(run, name));
  expect((await runCli(home, ['report', SAVED])).status).toBe(0);
  expect(readFileSync(join(base, 'secret.json'), 'utf8')).toContain(SECRET);
  expect(readFileSync(join(run, 'report.html'), 'utf8')).not.toContain(SECRET);
});

describe('a result', () => {
  it.each([
    ['no killer', {}],
    ['a field of another kind', { killer: 'memcg-oom', reason: 'OOMKilled' }],
    ['a field that there is not', { killer: 'memcg-oom', constructor: 'x' }],
  ])('that expects %s is refused by export', async (_, expected) => {
    changeCell((cell) => ({ ...cell, expected }));
    const { status, stderr } = await runCli(home, ['export', SAVED, '--out', join(base, 'out.tar.gz')]);
    expect(stderr).toContain('error LAB_STATE_FILE');
    expect(status).toBe(3);
    expect(readdirSync(base)).not.toContain('out.tar.gz');
  });

  it('that names evidence elsewhere leads nobody there', async () => {
    const elsewhere = join(base, 'elsewhere');
    cpSync(join(run, CELL), elsewhere, { recursive: true });
    symlinkSync(elsewhere, join(run, 'link'));
    for (const evidence of ['../../../elsewhere', elsewhere, 'link']) {
      changeCell((cell) => ({ ...cell, evidence }));
      const { stdout } = await runCli(home, ['why', ADDRESS]);
      expect(stdout).toMatch(/^this result cannot be checked: /);
    }
  });

  it.each([
    ['the id of a run that is a path', (result: RunResult) => ({ ...result, run: '../../evil' })],
    [
      'totals that its cells do not have',
      (result: RunResult) => ({ ...result, totals: { ...result.totals, passed: 99 } }),
    ],
    ['a value of a hundred thousand levels', () => undefined],
  ])('with %s is refused by all verbs', async (_, change) => {
    const result = change(readResult());
    if (result !== undefined) writeResult(result);
    else writeFileSync(join(run, 'result.json'), `{"cells":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    for (const words of [
      ['report', SAVED],
      ['export', SAVED],
      ['why', ADDRESS, '--run', SAVED],
    ]) {
      const { status, stdout, stderr } = await runCli(home, words);
      expect(stderr).toContain('error LAB_STATE_FILE');
      expect(stdout).toBe('');
      expect(status).toBe(3);
    }
    expect((await runCli(home, ['runs'])).stdout).toContain('cannot be read by this version');
  });

  it('that its evidence does not support is told as such, before anything else', async () => {
    changeCell((cell) => ({
      ...cell,
      attribution: { ...cell.attribution, killer: 'memcg-oom', how: undefined, level: 'pod' },
    }));
    const warning = 'this result contradicts its evidence: killer: memcg-oom -> external-signal';
    const why = await runCli(home, ['why', ADDRESS]);
    expect(why.stdout.startsWith(warning)).toBe(true);
    const json = JSON.parse((await runCli(home, ['why', ADDRESS, '--json'])).stdout) as { again: unknown };
    expect(json.again).toMatchObject({ state: 'differs' });
    const report = await runCli(home, ['report', SAVED]);
    expect(report.stdout.startsWith(`${ADDRESS}: ${warning}`)).toBe(true);
    expect(readFileSync(join(run, 'report.html'), 'utf8')).toContain('does not say what these results say');
    // It says of each cell whether its own result still holds.
    writeFileSync(join(run, CELL, 'result.json'), JSON.stringify(readResult().cells[0]));
    const judge = await runCli(home, ['judge', SAVED]);
    expect(judge.stdout).toContain('changed   killer: memcg-oom -> external-signal');
    expect(judge.status).toBe(1);
  });

  it('that claims a verdict without evidence is told as such', async () => {
    writeResult(createRunOf([createCell('claimed')], { run: SAVED }));
    const { stdout } = await runCli(home, ['why', 'claimed']);
    expect(stdout).toMatch(
      /^this result cannot be checked: no evidence of it was saved\n\ndefault\/claimed: passed\n/,
    );
  });

  it('that follows from its evidence says so', async () => {
    const { stdout } = await runCli(home, ['why', ADDRESS]);
    expect(stdout).toContain('again     judged again with the same result');
  });

  it('sends nothing to the terminal that a reader cannot see', async () => {
    const evil = '\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202epassed';
    changeCell((cell) => ({ ...cell, note: evil, claims: [{ layer: 'kernel', says: evil, agrees: true }] }));
    for (const words of [
      ['why', ADDRESS],
      ['report', SAVED],
      ['why', ADDRESS, '--json'],
      ['report', '--json'],
    ]) {
      const { stdout, stderr } = await runCli(home, words);
      // eslint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const { cell } = JSON.parse((await runCli(home, ['why', ADDRESS, '--json'])).stdout) as {
      cell: CellResult;
    };
    expect(cell.note).toBe(evil);
  });

  it('offers no word to a shell that would be more than a word', async () => {
    changeCell((cell) => ({ ...cell, address: 'default/$(touch${IFS}/tmp/pwned)' }));
    const { stdout } = await runCli(home, ['complete', 'whodunit why default/']);
    expect(stdout).not.toContain('$(');
  });
});
