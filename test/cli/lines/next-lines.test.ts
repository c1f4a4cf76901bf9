import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLOSED_WORDS } from '../../../lab/commands/context/closed-words.ts';
import { isListKind } from '../../../lab/commands/context/list-words.ts';
import { LIST_KINDS } from '../../../lab/commands/line/list-kinds.ts';
import type { RunResult } from '../../../lab/model/saved/formats.ts';
import { isOffer, offersOf, withoutMachines } from '../support/offers.ts';
import { PROJECT } from '../support/run-cli.ts';
import { runLines, type LineEnd } from '../support/run-lines.ts';
import { captureCell, writeSearchedRun, type SavedEnd } from '../support/searched-runs.ts';
import { listVerbLines, SAVED_CELL } from '../support/verb-lines.ts';

/** What every answer says comes next, run as it is printed. */

const BEFORE = '20260101-0000-good';
const AFTER = '20260102-0000-bad';
const CELL = 'default/oom-single-container';
const OTHER = 'containerd-1.7.27/oom-single-container';

/** The lines of support/verb-lines.ts are about a small project; these are the same things in this one. */
const HERE: Readonly<Record<string, string>> = {
  'eats-too-much': 'oom-single-container',
  'lost-label': 'oom-reported-as-error',
  '1.7.27': '1.6.20',
  '2.2.3': '2.1.4',
};

/** Lines whose answers name a next command by what is saved or found. */
const MORE_LINES: readonly (readonly string[])[] = [
  ['list', 'cells', 'oom-*'],
  ['list', 'v1', 'tag=nope'],
  ['list', 'set=deaths', 'cgroup=v1', '--summary'],
  ['list', 'killers', 'probe'],
  ['list', 'runs'],
  ['list', 'worlds'],
  ['list', 'bugs', 'zebra'],
  ['killers', 'zebra'],
  ['bugs', 'oom', 'memory'],
  ['bugs', 'https://github.com/kubernetes/kubernetes/issues/131567'],
  ['scenarios', 'probe'],
  ['scenarios', 'zebra'],
  ['runs', 'failed'],
  ['runs', 'zebra'],
  ['explain', 'zebra'],
  ['explain', 'memory', 'limit'],
  ['plan', 'oom-single-container', '--shards', '1', '--out', 'plan.json'],
  ['shard', 'manifest', '--engine', 'slurm', '--plan', 'plan.json', '-o', 'job.sbatch'],
  ['merge', 'latest', '--plan', 'plan.json'],
  ['why', 'latest'],
  ['why', CELL],
  ['report', 'latest'],
  ['report', 'latest', '--format', 'markdown'],
  ['judge', 'latest'],
  ['check', 'latest'],
  ['history', '*'],
  ['history', 'oom-single-container'],
  ['history', OTHER],
  ['diff', BEFORE, AFTER],
  ['diff', AFTER, BEFORE],
  ['diff', BEFORE, AFTER, CELL],
  ['diff', CELL, OTHER],
  ['run', '--last-failed', '--dry-run'],
  ['run', '--resume', AFTER],
  ['prove', CELL, '--dry-run'],
  ['gate', '--base', BEFORE, '--head', AFTER],
  ['gate', '--for', 'containerd', '--base', BEFORE, '--record', 'base.json'],
  ['gate', '--baseline', 'base.json', '--dry-run'],
  ['bisect', CELL, '--axis', 'containerd', '--good', '1.7.27', '--saved', BEFORE, AFTER],
  ['bisect', '--resume', '--dry-run'],
  ['difference', CELL, OTHER, '--saved', BEFORE, AFTER],
  ['difference', '--resume', '--dry-run'],
  ['repro', 'oom-reported-as-error', '--dry-run'],
  ['repro', 'zebra'],
  ['up', 'cgroup=v1', '--dry-run'],
  ['down', 'v1'],
  ['case', join(PROJECT, 'test/fixtures/pastes/p05-eviction-api/input'), '--markdown'],
  ['init', 'own'],
  ['new', 'scenario', 'made-here', '--project', 'own'],
  ['new', 'bug', 'bug-of-mine', '--project', 'own'],
  ['list', 'made-here', '--project', 'own'],
];

/** Every line, where it changes nothing but its working directory. */
function listLines(): (readonly string[])[] {
  const lines = listVerbLines()
    .filter(([name = '']) => !['mcp', 'init', 'new'].includes(name))
    .map((words) => words.map((word) => HERE[word] ?? word));
  return [...lines, ...MORE_LINES];
}

/** Verbs that are about the same kind of thing: an answer of one may lead to any other. */
const KINDS: readonly (readonly string[])[] = [
  ['why', 'judge', 'check', 'report', 'events', 'history', 'diff', 'runs', 'export', 'merge', 'prove'],
  ['run', 'list', 'scenarios', 'plan', 'shard', 'lock'],
  ['bugs', 'repro', 'case'],
  ['killers', 'explain'],
  ['bisect', 'difference'],
  ['up', 'down', 'status', 'shell', 'kubectl', 'logs', 'bake'],
  ['cache', 'gc'],
];

/** Where else an answer may lead: what is saved comes from a run, and a search or a case is about cells. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  bisect: ['runs', 'run', 'list', 'bugs'],
  case: ['autopsy', 'list'],
  difference: ['runs', 'run', 'list', 'bugs'],
  gate: ['runs', 'run', 'list'],
  init: ['list', 'new'],
  new: ['list', 'repro'],
  run: ['report', 'runs', 'why'],
};

/** Verbs with which everything saved begins. */
const BEGIN = ['run', 'list'];

/** Words that name nothing: files that are written next, and what anybody may say. */
const SAY_NOTHING: readonly string[] = [
  ...Object.values(CLOSED_WORDS).flat(),
  'latest',
  '*',
  'plan.json',
  'baseline.json',
  'my-scenario',
  '1',
  'slurm',
  '20GiB',
];

/** What is wrong with a command that an answer offers; `saved` are the ids of all saved runs. */
function strangeIn(line: LineEnd, words: readonly string[], saved: readonly string[]): string[] {
  const [typed = '', kind = ''] = line.words;
  const from = typed === 'list' && isListKind(kind) ? LIST_KINDS[kind].verb : typed;
  const [verb = '', ...more] = words[0] === 'help' ? words.slice(1) : words;
  const kinds = KINDS.filter((known) => known.includes(from)).flat();
  // What begins is right only if nothing is saved, or if a cell that was asked for is not there.
  const begin = line.status === 2 || /no (?:saved )?run/.test(line.stdout) ? BEGIN : [];
  const host = line.status === 3 ? ['doctor'] : [];
  const known = [from, ...kinds, ...(ALSO[from] ?? []), ...begin, ...host];
  // A run may be named that the line calls latest.
  const latest = line.words.includes('latest') ? saved.join(' ') : '';
  const said = `${latest}\n${line.words.join(' ')}\n${line.stdout}\n${line.stderr}`
    .split('\n')
    .filter((text) => !isOffer(text))
    .join('\n');
  const names = more.filter((word) => !word.startsWith('-') && !SAY_NOTHING.includes(word));
  return [
    ...(known.includes(verb) ? [] : [`${from} leads to ${verb}`]),
    ...names
      .flatMap((word) => word.split(/^state\/runs\/|\/cells\//))
      .filter((word) => !said.includes(word))
      .map((word) => `${word} is said nowhere else`),
  ];
}

let folder: string;
let told: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-next-'));
  mkdirSync(join(folder, 'tools'));
  const capture = await captureCell(join(folder, 'capture'));
  const at = (default_: SavedEnd): { address: string; end: SavedEnd }[] => [
    { address: CELL, end: default_ },
    { address: OTHER, end: 'killed' },
  ];
  date(writeSearchedRun(folder, BEFORE, capture, at('killed')), '2026-01-01', 'passed');
  date(writeSearchedRun(folder, AFTER, capture, at('alive')), '2026-01-02', 'failed');
  told = join(folder, 'told');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Sets the day of a run, and the verdict of its first cell. */
function date(run: string, day: string, verdict: 'passed' | 'failed'): void {
  const path = join(run, 'result.json');
  const saved = JSON.parse(readFileSync(path, 'utf8')) as RunResult;
  const cells = saved.cells.map((cell, index) => (index === 0 ? { ...cell, verdict } : cell));
  const failed = cells.filter((cell) => cell.verdict === 'failed').length;
  const totals = { ...saved.totals, passed: cells.length - failed, failed };
  const text = JSON.stringify({ ...saved, startedAt: `${day}T00:00:00.000Z`, cells, totals });
  writeFileSync(path, text);
}

function run(lines: readonly (readonly string[])[], cwd: string): Promise<readonly LineEnd[]> {
  const env = { WHODUNIT_HOME: join(cwd, 'state'), PATH: join(folder, 'tools'), HOME: folder };
  return runLines({ file: join(folder, 'lines.json'), env, cwd }, lines);
}

const spell = (words: readonly string[]): string => words.join(' ');

describe.each<readonly [string, () => string | undefined, readonly string[]]>([
  ['no run', () => undefined, ['runs => run']],
  ['a saved run', () => join(PROJECT, 'test/fixtures/run-from-before'), [`report => why ${SAVED_CELL}`]],
  [
    'runs that differ',
    () => told,
    [
      `report latest => why ${CELL}`,
      `diff ${BEFORE} ${AFTER} => diff ${BEFORE} ${AFTER} ${CELL}`,
      `history * => history ${CELL}`,
    ],
  ],
])('what comes next, in a state folder with %s', (_, runs, some) => {
  let offers: readonly { readonly line: LineEnd; readonly words: readonly string[] }[];
  let cwd: string;
  beforeAll(async () => {
    cwd = mkdtempSync(join(folder, 'work-'));
    const saved = runs();
    if (saved !== undefined) cpSync(saved, join(cwd, 'state/runs'), { recursive: true });
    const answers = await run(listLines(), cwd);
    expect(answers.filter(({ status }) => status === 70).map(({ words }) => spell(words))).toEqual([]);
    offers = answers.flatMap((line) => offersOf(line).map((words) => ({ line, words })));
  }, 240_000);

  it('is said by many verbs', () => {
    const said = offers.map(({ line, words }) => `${spell(line.words)} => ${spell(words)}`);
    expect(said).toEqual(expect.arrayContaining([...some]));
    expect(new Set(offers.map(({ line }) => line.words[0])).size).toBeGreaterThan(20);
  });

  it('is about what the answer is about', () => {
    const folder = join(cwd, 'state/runs');
    const saved = existsSync(folder) ? readdirSync(folder) : [];
    const strange = offers.flatMap(({ line, words }) =>
      strangeIn(line, words, saved).map((what) => `${spell(line.words)} => ${spell(words)}: ${what}`),
    );
    expect(strange).toEqual([]);
  });

  it('leads on', async () => {
    const commands = new Map(
      offers.flatMap(({ words }) => {
        const safe = withoutMachines(words);
        return safe === undefined ? [] : [[spell(safe), safe]];
      }),
    );
    const ends = await run([...commands.values()], cwd);
    expect(ends).toHaveLength(commands.size);
    const bad = ends.filter(({ status }) => status === 2 || status === 70);
    expect(bad.map(({ words, stderr }) => `${spell(words)}: ${stderr.slice(0, 300)}`)).toEqual([]);
  }, 240_000);
});
