import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differenceSchema } from '../../../lab/model/saved/search.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';
import { askBisect, withoutSearchId } from '../support/ask-bisect.ts';
import { captureCell, writeSearchedRun, type SavedEnd } from '../support/searched-runs.ts';

const SCENARIO = 'oom-single-container';
const at = (version: string): string => `containerd-${version}/${SCENARIO}`;
const CELL = at('2.4.2');
const ENDS = ['--axis', 'containerd', '--good', '1.6.2', '--bad', '2.4.2'];
/** Old versions kill, new ones do not; 2.2.3 was never observed, and 2.1.4 once ended in a third way. */
const TOLD: Readonly<Record<string, readonly SavedEnd[]>> = {
  '1.6.2': ['killed', 'killed', 'killed', 'killed', 'killed', 'killed', 'killed'],
  '1.7.27': ['killed', 'killed', 'killed', 'killed', 'killed', 'killed', 'killed'],
  '2.1.4': ['killed', 'third', 'killed', 'killed', 'killed', 'killed', 'killed'],
  '2.2.3': ['unseen', 'unseen', 'unseen', 'unseen', 'unseen', 'unseen', 'unseen'],
  '2.3.7': ['alive', 'alive', 'alive', 'alive', 'alive', 'alive', 'alive'],
  '2.4.2': ['alive', 'alive', 'alive', 'alive', 'alive', 'alive', 'alive'],
};

let home: string;
let capture: Awaited<ReturnType<typeof captureCell>>;
let saved: string[];
/** Folders of saved runs: the nth has the nth run of each cell. */
function tell(name: string, told: Readonly<Record<string, readonly SavedEnd[]>>): string[] {
  const most = Math.max(...Object.values(told).map((ends) => ends.length));
  return Array.from({ length: most }, (_, index) => {
    const cells = Object.entries(told).flatMap(([version, ends]) => {
      const end = ends[index];
      const address = version.includes('/') ? version : at(version);
      return end === undefined ? [] : [{ address, end }];
    });
    return writeSearchedRun(home, `20260101-00000${index}-${name}`, capture, cells);
  });
}

const newState = (): string => mkdtempSync(join(home, 'state-'));
const stateFileOf = (state: string): string => {
  const searches = join(state, 'searches');
  return join(searches, readdirSync(searches)[0]!, 'bisect.jsonl');
};

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-bisect-'));
  capture = await captureCell(home);
  saved = tell('told', TOLD);
});
afterAll(() => rmSync(home, { recursive: true }));

describe('bisect over saved runs', () => {
  it('finds the neighbours, and folds neither a third end nor a version that was never observed into a side', async () => {
    const { status, answer } = await askBisect(newState(), CELL, ...ENDS, '--saved', ...saved);
    expect(status).toBe(0);
    expect(answer.lines[0]).toMatchObject({ outcome: 'found', lastGood: '2.1.4', firstBad: '2.3.7' });
    expect(answer.lines[0]?.among).toEqual(['2.2.3', '2.3.7']);
    const of = (value: string): unknown => answer.versions.find((version) => version.value === value);
    expect(of('2.2.3')).toMatchObject({ red: 0, green: 0, none: 3 });
    expect(of('2.1.4')).toMatchObject({ red: 0, other: 1, others: ['killer=self-exit'] });
    expect(answer.next).toBeUndefined();
  });

  it('answers the same from wherever its state was cut, and without a machine', async () => {
    const state = newState();
    const whole = await askBisect(state, CELL, ...ENDS, '--saved', ...saved);
    const file = stateFileOf(state);
    const text = readFileSync(file, 'utf8');
    const head = text.indexOf('\n') + 1;
    const cuts = [head, head + 7, Math.floor((head + text.length) / 2), text.length - 1, text.length];
    for (const cut of cuts) {
      writeFileSync(file, text.slice(0, cut));
      const again = await askBisect(state, '--resume');
      expect([again.status, withoutSearchId(again.answer)]).toEqual([
        whole.status,
        withoutSearchId(whole.answer),
      ]);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    const offline = await askBisect(state, '--resume', '--dry-run');
    expect(withoutSearchId(offline.answer)).toEqual(withoutSearchId(whole.answer));
  });

  it('goes on after kill -9', async () => {
    const state = newState();
    const whole = await askBisect(newState(), CELL, ...ENDS, '--saved', ...saved);
    const words = ['bisect', CELL, ...ENDS, '--saved', ...saved];
    const child = spawn(process.execPath, [join(PROJECT, 'bin/whodunit.mjs'), ...words], {
      env: {
        ...process.env,
        WHODUNIT_HOME: state,
        WHODUNIT_CACHE: undefined,
        npm_lifecycle_event: undefined,
      },
      stdio: 'ignore',
    });
    const ended = new Promise((done) => child.on('exit', done));
    let isOver = false;
    void ended.then(() => (isOver = true));
    // As soon as there is a state, in whichever line of it the kill comes.
    while (!isOver && !existsSync(join(state, 'searches'))) await new Promise((go) => setImmediate(go));
    child.kill('SIGKILL');
    await ended;
    const hasState = readdirSync(join(state, 'searches')).some((id) =>
      existsSync(join(state, 'searches', id, 'bisect.jsonl')),
    );
    const again = await askBisect(state, ...(hasState ? ['--resume'] : [CELL, ...ENDS, '--saved', ...saved]));
    expect(withoutSearchId(again.answer)).toEqual(withoutSearchId(whole.answer));
  });

  it.each<[string, Readonly<Record<string, readonly SavedEnd[]>>, string, RegExp]>([
    [
      'an end that never shows it',
      { '1.6.2': Array(40).fill('killed'), '2.1.4': ['killed'], '2.4.2': Array(40).fill('killed') } as never,
      'ends-alike',
      /the two ends do not differ often enough/,
    ],
    [
      'too few runs',
      { '1.6.2': ['killed', 'killed', 'killed'], '2.1.4': ['third'], '2.3.7': ['alive'], '2.4.2': ['alive'] },
      'range',
      /first bad: one of 2\.1\.4, 2\.3\.7/,
    ],
  ])('does not know, and says so: %s', async (name, told, outcome, says) => {
    const runs = tell(name.replaceAll(' ', '-'), told);
    const state = newState();
    const { status, answer } = await askBisect(state, CELL, ...ENDS, '--saved', ...runs);
    expect([status, answer.outcome]).toEqual([3, outcome]);
    const text = await runCli(state, ['bisect', '--resume', '--dry-run']);
    expect(text.stdout).toMatch(says);
  });

  it('prints Markdown in which no text of a run is markup', async () => {
    const { stdout } = await runCli(newState(), ['bisect', CELL, ...ENDS, '--saved', ...saved, '--markdown']);
    expect(stdout).toContain('- first bad: 2.3.7, last good: 2.1.4');
    expect(stdout).toContain('between them and not observed: 2.2.3');
    expect(stdout).toContain('the \\|witness\\| had a gap');
    const rows = stdout.split('\n').filter((line) => line.startsWith('|'));
    for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g)).toHaveLength(3);
  });
});

describe('difference over saved runs', () => {
  const green = `v1_containerd-1.7.27/${SCENARIO}`;
  const red = at('2.1.4');
  const told = {
    [green]: Array<SavedEnd>(9).fill('killed'),
    [red]: Array<SavedEnd>(9).fill('alive'),
    [`v1_containerd-2.1.4/${SCENARIO}`]: Array<SavedEnd>(9).fill('alive'),
    [at('1.7.27')]: Array<SavedEnd>(9).fill('killed'),
  };

  it('names the one difference, and the search for its version', async () => {
    const runs = tell('difference', told);
    const words = ['difference', red, green, '--saved', ...runs, '--json'];
    const { status, stdout } = await runCli(newState(), words);
    const answer = differenceSchema.parse(JSON.parse(stdout));
    expect([status, answer.outcome]).toEqual([0, 'found']);
    expect(answer.differences.filter(({ isNeeded }) => isNeeded).map(({ name }) => name)).toEqual([
      'containerd',
    ]);
    expect(answer.bisect).toBe(
      `npx whodunit bisect v1_containerd-2.1.4/${SCENARIO} --axis containerd --good 1.7.27 --bad 2.1.4`,
    );
  });

  it('leaves what it could not observe unsure', async () => {
    const unseen = { ...told, [at('1.7.27')]: Array<SavedEnd>(9).fill('unseen') };
    const runs = tell('unsure', {
      ...unseen,
      [`v1_containerd-2.1.4/${SCENARIO}`]: Array<SavedEnd>(9).fill('third'),
    });
    const { status, stdout } = await runCli(newState(), ['difference', red, green, '--saved', ...runs]);
    expect(status).toBe(3);
    expect(stdout).toContain('could not be observed');
  });
});

describe('bad input starts nothing', () => {
  const bisect = (...words: string[]): string[] => ['bisect', ...words];
  it.each<[string, string[], RegExp]>([
    ['no cell', bisect(), /takes one cell or one bug, and got 0 words/],
    ['two cells', bisect(CELL, CELL), /too many arguments for 'bisect'/],
    ['no such cell', bisect('default/nothing', ...ENDS), /is not a cell: there is no scenario "nothing"/],
    ['no axis', bisect(CELL), /needs to know which axis is searched/],
    ['no such axis', bisect(CELL, '--axis', 'containrd'), /no axis "containrd".*did you mean "containerd"/],
    [
      'good is bad',
      bisect(CELL, '--axis', 'containerd', '--good', '2.4.2'),
      /both ends are containerd=2\.4\.2/,
    ],
    [
      'the same bytes',
      bisect(`1.36/${SCENARIO}`, '--axis', 'kubernetes', '--good', '1.34', '--bad', '1.34.2'),
      /1\.34 and 1\.34\.2 are the same bytes/,
    ],
    ['one end', bisect(CELL, '--axis', 'containerd'), /a search has two ends/],
    ['an axis without order', bisect(CELL, '--axis', 'cgroup'), /the values of cgroup have no order/],
    [
      'an unknown version',
      bisect(CELL, '--axis', 'containerd', '--good', '9.9'),
      /containerd has no value "9\.9"/,
    ],
    [
      'an end that is no version',
      bisect(`default/${SCENARIO}`, '--axis', 'containerd', '--good', '1.6.2'),
      /containerd=apt has no place among versions/,
    ],
    [
      'two programs',
      bisect(`default/${SCENARIO}`, '--axis', 'runtime', '--good', 'runc@1.4.3', '--bad', 'runsc@20260224'),
      /are not versions of one program/,
    ],
    [
      'sides of a bug that are two settings of one release',
      bisect('gvisor-limit-not-enforced'),
      /not versions of one program\n +try: npx whodunit bisect containerd-1\.7\.27_runsc@20230927\/sandbox-limit --axis runtime --good runsc@20260905;/,
    ],
    [
      'a checkout, which has no place among versions',
      bisect(
        `default/${SCENARIO}`,
        '--axis',
        'runtime',
        '--good',
        'runc@git:../runc#v1.1.12',
        '--bad',
        'runc@1.4.3',
      ),
      /runc@git:\.\.\/runc#v1\.1\.12: .*git bisect searches the commits of a checkout\n +try: git -C \.\.\/runc bisect start '<bad commit>' v1\.1\.12; git -C \.\.\/runc bisect run env --chdir="\$PWD" npx whodunit run --exit-for git-bisect runc@git:\.\.%2Frunc\/oom-single-container$/m,
    ],
    [
      'a range of one',
      bisect(CELL, '--axis', 'containerd', '--good', '2.4.1'),
      /no version is known between/,
    ],
    ['a budget below the ends', bisect(CELL, ...ENDS, '--budget', '10s'), /and the budget is 10\.0 s/],
    ['no budget', bisect(CELL, ...ENDS, '--budget', 'soon'), /--budget takes a time such as 90m/],
    ['unknown fields', bisect(CELL, ...ENDS, '--what', 'killer,colour'), /not "colour"/],
    [
      'a measure that the scenario does not take',
      bisect(CELL, ...ENDS, '--what', 'zombies.atLeast=3'),
      /oom-single-container does not measure zombies/,
    ],
    ['no search', bisect('--resume'), /there is no search to resume/],
    [
      'a folder without a run',
      bisect(CELL, ...ENDS, '--saved', import.meta.dirname),
      /it has no result\.json/,
    ],
    ['saved runs without the ends', bisect(at('2.1.4'), ...ENDS, '--saved', 'HALF'), /have no run of/],
    [
      'reversed ends of a bug',
      bisect('supercronic-zombies', '--good', '0.2.30', '--bad', '0.2.33'),
      /the ends are reversed/,
    ],
    ['one cell', ['difference', CELL], /takes two cells, and got 1 word/],
    ['the same cell', ['difference', CELL, CELL], /both are the cell/],
    ['two scenarios', ['difference', CELL, 'default/exit-one'], /the cells have two scenarios/],
    ['another reader', ['run', '--exit-for', 'hg', SCENARIO], /--exit-for takes git-bisect/],
  ])('%s', async (_, words, says) => {
    const state = newState();
    const half = (): string =>
      writeSearchedRun(home, 'half', capture, [{ address: at('1.6.2'), end: 'killed' }]);
    const given = words.map((word) => (word === 'HALF' ? half() : word));
    // Without `go` nobody is asked for more versions.
    const { status, stdout, stderr } = await runCli(state, given, { PATH: '/usr/bin:/bin', GOPROXY: 'off' });
    expect([status === 2 || given.includes('--exit-for'), stdout]).toEqual([true, '']);
    expect(stderr).toMatch(says);
    expect(stderr).toContain('try: ');
    expect(existsSync(join(state, 'runs')) || existsSync(join(state, 'searches'))).toBe(false);
  });

  it('all versions between the ends are refused by a rule', async () => {
    // The proxy stands in: it lists one version between the two, which a rule of matrix.yaml refuses.
    const tools = mkdtempSync(join(home, 'go-'));
    const list = 'github.com/aptible/supercronic v0.2.30 v0.2.31 v0.2.32';
    writeFileSync(join(tools, 'go'), `#!/bin/sh\necho ${list}\n`, { mode: 0o755 });
    const words = bisect('supercronic-zombies', '--good', '0.2.32');
    const { status, stdout, stderr } = await runCli(newState(), words, { PATH: `${tools}:/usr/bin:/bin` });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /none of the 1 versions between 0\.2\.32 and 0\.2\.30 can be run: 0\.2\.31: supercronic-not-on-the-proxy: /,
    );
    expect(stderr).toContain('try: ');
  });
});
