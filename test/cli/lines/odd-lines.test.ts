import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ODD_EXPERIMENTS } from '../support/odd-experiments.ts';
import { offersOf, withoutMachines } from '../support/offers.ts';
import { PROJECT } from '../support/run-cli.ts';
import { runLines, type LineEnd } from '../support/run-lines.ts';
import { SAVED_CELL, SAVED_RUN } from '../support/verb-lines.ts';

/** Command lines that nobody should write, and somebody does. Each is refused in one message that leads on. */

const LONG = 'a'.repeat(100_000);

const ODD_LINES: readonly (readonly string[])[] = [
  // a verb with a typo, of another tool, or none
  ['rnu', 'oom-single-container'],
  ['lsit'],
  ['Run', 'plain-exit'],
  ['--run', 'plain-exit'],
  ['start'],
  ['delete', 'pod', 'x'],
  ['get', 'pods'],
  ['describe', SAVED_CELL],
  ['oom-single-container'],
  [SAVED_RUN],
  ['help', 'rnu'],
  ['help', 'run', 'list'],
  ['help', '--all', 'nope'],
  ['--help', 'nope'],
  ['-h', 'run', 'list'],
  ['--version', 'x'],
  ['-v'],
  ['list', 'help'],
  // words that are swapped, missing or too many
  ['run', 'run', 'plain-exit'],
  ['plain-exit', 'run'],
  ['list', '--json', 'list'],
  ['why'],
  ['why', 'oom-single-container', 'plain-exit'],
  ['why', 'latest', SAVED_CELL],
  ['judge'],
  ['history'],
  ['diff', 'latest'],
  ['diff', 'latest', 'latest', SAVED_CELL, SAVED_CELL],
  ['diff', SAVED_CELL, 'latest'],
  ['export'],
  ['explain'],
  ['new'],
  ['new', 'my-scenario'],
  ['new', 'my-scenario', 'scenario'],
  ['completion'],
  ['completion', 'powershell'],
  ['cache'],
  ['cache', 'clear'],
  ['cache', 'list', 'images'],
  ['cache', 'why', 'nothing', 'os=trixie'],
  ['events', SAVED_RUN, 'latest'],
  ['status', 'default'],
  ['repro'],
  ['version', '1'],
  // flags of other verbs, flags with a typo, values that are none
  ['why', 'latest', '--dry-run'],
  ['report', '--follow'],
  ['list', '--markdown'],
  ['run', '--dryrun'],
  ['run', '--dry_run', 'plain-exit'],
  ['run', '-n', 'plain-exit'],
  ['run', '--last-fail'],
  ['run', '--parallel', 'two', '--dry-run'],
  ['run', '--parallel=-1', '--dry-run'],
  ['run', '--parallel'],
  ['run', '--lanes', 'all', '--dry-run'],
  ['run', '--seed'],
  ['up', '--all'],
  ['down', '--force'],
  ['list', '-o', 'yaml'],
  ['list', '--output'],
  ['runs', '--json=true'],
  ['report', '--format', 'pdf'],
  ['report', '--format', 'json', '--table'],
  ['report', 'junit'],
  ['cache', 'prune', '--max-size', 'lots'],
  ['cache', 'prune', '--max-size', '-5GiB'],
  ['repro', 'driver-mismatch-kill-loop', '--repeat', '0'],
  ['repro', 'driver-mismatch-kill-loop', '--json', '--markdown'],
  ['run', '--resume', 'plain-exit', '--seed', '5'],
  ['why', 'latest', '--run', 'nope'],
  // two values of what has one
  ['run', '--parallel', '2', '--parallel', '3', '--dry-run'],
  ['report', '--format', 'markdown', '--format', 'json'],
  ['why', SAVED_CELL, '--run', 'latest', '--run', SAVED_RUN],
  ['cache', 'prune', '--max-size', '5GiB', '--max-size', '6GiB', '--dry-run'],
  ['up', 'kubernetes=1.37', 'kubernetes=1.36', '--dry-run'],
  // selectors as flags, and values of flags that have none
  ['list', '--cgroup=v1'],
  ['run', '--set', 'quick', '--dry-run'],
  ['run', '--dry-run=false'],
  // variants and selectors
  ['up', 'default_v1', '--dry-run'],
  ['up', SAVED_CELL],
  ['up', 'default/plain-exit'],
  ['up', 'v1', 'v2'],
  ['up', 'cgroup'],
  ['up', 'cgroup=', '--dry-run'],
  ['up', 'cgroup:v1'],
  ['up', 'set=quick'],
  ['bake', 'plain-exit'],
  ['sbom', 'labs'],
  ['list', 'cgroup==v1'],
  ['list', '=v1'],
  ['list', 'cgroup=v1,,v2'],
  ['list', 'default//plain-exit'],
  ['list', 'default/plain-exit/'],
  ['list', 'plain-exit[code=7'],
  ['list', 'set=qiuck', 'tag=ooom', 'scenario=plain-exits', 'bug=nope'],
  ['run', 'limit=64', '--dry-run'],
  // words without a letter, a stream for a file, another kind of thing
  ['scenarios', '/'],
  ['explain', '.'],
  ['bugs', '-- -'],
  ['export', 'latest', '--out', '-'],
  ['events', SAVED_CELL],
  ['new', 'scenario', 'x'.repeat(64)],
  // accidents of the shell
  [''],
  ['run', ''],
  ['why', ' '],
  ['run;', 'ls'],
  ['run', '|', 'less'],
  ['run', '>', 'out.txt'],
  ['run', '$SCENARIO'],
  ['run', '${SCENARIO}'],
  ['run', '`ls`'],
  [
    'list',
    'README.md',
    'bin',
    'docs',
    'lab',
    'package.json',
    'test',
    'stacks',
    'provision',
    'bugs',
    'scenarios',
  ],
  ['judge', '*.json'],
  ['judge', '~/runs'],
  ['run', '"plain-exit"'],
  ['run', "'plain-exit'"],
  ['list', ...Array.from({ length: 5000 }, (_, index) => String(index + 1))],
  // letters
  ['run', '—dry-run'],
  ['run', '–last-failed'],
  ['list', 'cgroup＝v1'],
  ['why', 'plаin-exit'],
  ['explain', 'Größe'],
  ['explain', '🔪'],
  ['list', 'plain\u200b-exit'],
  ['list', 'plain-exit\n'],
  ['why', '\u001b[31mred'],
  ['list', '##[set-output name=x]y'],
  // very long words
  [LONG],
  ['why', LONG],
  ['list', LONG],
  ['list', `cgroup=${LONG}`],
  ['up', LONG],
  ['judge', LONG],
  ['explain', LONG],
  ['report', '--format', LONG],
  ['run', `--${LONG}`],
  [`--${LONG}`, 'run'],
  // folders and files that are wrong
  ['judge', '/nowhere'],
  ['judge', 'package.json'],
  ['judge', 'docs'],
  ['judge', SAVED_CELL],
  ['export', 'docs'],
  ['export', 'package.json'],
  ['export', 'latest', '--out', '/nowhere/x.tar.gz'],
  ['export', SAVED_RUN, '--out', 'package.json'],
  ['repro', 'docs/README.yaml'],
  ['repro', 'package.json'],
  ['repro', 'qqq'],
  ['case', 'https://github.com/kubernetes/kubernetes/issues/131567'],
  ['repro', '/nowhere/replay.yaml'],
  ['report', '2031'],
  ['events', '2031'],
  ['history', '2031'],
  ['why', 'nope'],
  ['why', 'v1/nope'],
  ['run', '--resume', '2031'],
  ['list', 'containerd=file:/nowhere'],
  ['shell', '--world', 'nope'],
  ['logs', 'nope'],
  ['kubectl', '--json'],
  // deaths of other clusters
  ['autopsy'],
  ['autopsy', 'docs/images', '--timezone', '+25:00'],
  ['autopsy', 'docs/images', '--list', '--attempt', '1'],
  ['autopsy', 'docs/images', '--dry-run'],
  ['autopsy', 'default/web-0', '--kubeconfig', '/nowhere'],
  ['autopsy', 'default/web-0', '--kubeconfig', 'docs'],
  ['autopsy', 'de fault/web', '--print-commands'],
  ['check', '/nowhere'],
  ['check', 'package.json'],
  ['check', 'docs'],
  ['down', 'nope'],
  ['autopsy', 'default/web-0'],
  ['autopsy', 'default/web-0', '--kubeconfig', '/dev/null'],
  ['autopsy', 'default/web-0', '--kubeconfig', 'package.json'],
  ['autopsy', 'default/web-0', '--print-commands', '--json'],
  ['autopsy', 'default/web-0', '--print-commands', '--debug-namespace', 'Bad NS'],
  // where no file can be made, Node's own way to make folders never ends
  ['init', '/proc/x'],
  ['plan', 'plain-exit', '--out', '/proc/x'],
  ['export', SAVED_RUN, '--out', '/proc/x.tar.gz'],
  // values that were read only when the work was done, or of which one was taken
  ['run', 'plain-exit', '--keep-evidence', 'some', '--dry-run'],
  ['run', 'plain-exit', '--keep-evidence', 'failed,200%', '--dry-run'],
  ['run', 'plain-exit', '--evidence', '/nowhere', '--dry-run'],
  ['plan', 'plain-exit', '--host', 'memory=64GiB,memory=1GiB'],
  ['run', 'plain-exit[code=7,code=900]', '--dry-run'],
  ...ODD_EXPERIMENTS,
  // names that mean something else already
  ['new', 'scenario', 'latest'],
  ['new', 'scenario', 'v1'],
];

/** Verbs whose answer depends on what was saved. */
const OF_RUNS = [
  'why',
  'judge',
  'history',
  'diff',
  'export',
  'events',
  'report',
  'up',
  'help',
  'down',
  'prove',
  'bisect',
  'gate',
];

/** Most lines of an answer: what is wrong, and how it goes on. */
const MOST_LINES = 12;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-odd-'));
  // No program of the host is there, so that nothing can be started.
  mkdirSync(join(folder, 'tools'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs lines in a state folder with these runs. */
async function runOdd(lines: readonly (readonly string[])[], runs?: string): Promise<readonly LineEnd[]> {
  const home = join(folder, 'state');
  rmSync(home, { recursive: true, force: true });
  if (runs !== undefined) cpSync(runs, join(home, 'runs'), { recursive: true });
  const env = { WHODUNIT_HOME: home, PATH: join(folder, 'tools') };
  return runLines({ file: join(folder, 'lines.json'), env }, lines);
}

const nameOf = ({ words }: LineEnd): string =>
  words
    .map((word) => word.slice(0, 40))
    .slice(0, 8)
    .join(' ');

/** What is wrong with an answer; nothing when it is one clear message. */
function problemsOf(line: LineEnd): string[] {
  const { status, stdout, stderr } = line;
  const lines = stderr.trimEnd().split('\n');
  const tries = lines.filter((text) => text.startsWith('  try: '));
  const checks: readonly (readonly [string, boolean])[] = [
    [`ends with ${status}`, status === 2 || status === 3],
    ['prints a result', line.words.includes('--json') || stdout === ''],
    ['shows a stack', !/^\s+at .*:\d+/m.test(stderr)],
    ['says no code of ours', /^error LAB_[A-Z_]+: /.test(stderr)],
    ['says that it is a bug', !stderr.includes('LAB_INTERNAL')],
    [`has ${lines.length} lines`, lines.length <= MOST_LINES],
    [
      `has a line of ${Math.max(...lines.map((text) => text.length))} letters`,
      lines.every((text) => text.length < 1000),
    ],
    [`has ${tries.length} lines of what to try`, tries.length === 1],
    ['tells of schemas', !/Invalid (?:input|string)|received undefined/.test(stderr)],
  ];
  return checks
    .filter(([, isFine]) => !isFine)
    .map(([what]) => `${nameOf(line)}: ${what}: ${stderr.slice(0, 300)}`);
}

/** What is wrong, without what to try. */
const errorOf = ({ stderr }: LineEnd): string => stderr.split('\n')[0] ?? '';

/** The commands that a refusal offers, as a test may run them. */
function triesOf({ stderr }: LineEnd): (readonly string[])[] {
  return offersOf({ stdout: '', stderr }).flatMap((words) => {
    const safe = withoutMachines(words);
    return safe === undefined ? [] : [safe];
  });
}

it('are more than a hundred odd command lines', () => {
  expect(new Set(ODD_LINES.map((words) => words.join(' '))).size).toBeGreaterThan(130);
});

describe.each([
  ['no run', undefined, ODD_LINES],
  [
    'a saved run',
    join(PROJECT, 'test/fixtures/run-from-before'),
    ODD_LINES.filter(([verb = '']) => OF_RUNS.includes(verb)),
  ],
])('an odd command line in a state folder with %s', (_, runs, lines) => {
  let answers: readonly LineEnd[];
  beforeAll(async () => {
    answers = await runOdd(lines, runs);
  }, 240_000);

  it('is answered in one clear message', () => {
    expect(answers).toHaveLength(lines.length);
    expect(answers.flatMap(problemsOf)).toEqual([]);
  });

  it('is answered with commands that lead on', async () => {
    const offers = new Map(
      answers.flatMap((line) =>
        triesOf(line).map((words) => [words.join(' '), { words, after: errorOf(line) }]),
      ),
    );
    expect(offers.size).toBeGreaterThan(4);
    const ends = await runOdd(
      [...offers.values()].map(({ words }) => words),
      runs,
    );
    const bad = ends.filter(
      (line) =>
        line.status === 70 ||
        errorOf(line) === offers.get(line.words.join(' '))?.after ||
        (line.status === 2 && !line.stderr.includes('there is no finished run yet')),
    );
    expect(bad.map((line) => `${line.words.join(' ')}: ${line.stderr.slice(0, 300)}`)).toEqual([]);
  }, 240_000);
});
