import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLines, type LineEnd } from './support/run-lines.ts';

const SELECTOR_HELP =
  "  try: npx whodunit list '*' for all cells, or npx whodunit help list for what words mean";

const VARIANT_HELP =
  '  try: npx whodunit help up for how a variant is named, or npx whodunit explain <axis> for its values';

const PLAN_HELP = '  try: npx whodunit plan <selectors> --shards 8 --out plan.json';

let folder: string;
let home: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-bad-input-'));
  home = join(folder, 'state');
});
afterAll(() => {
  // Nothing was started: no lock, no lease, no world, not even the folder for them.
  const isLeft = existsSync(home);
  rmSync(folder, { recursive: true });
  expect(isLeft).toBe(false);
});

/** A line, and what is said of it. */
type Row = readonly [words: readonly string[], lines: readonly string[]];

const WRONG: readonly Row[] = [
  [['rum'], ['unknown command "rum" (did you mean "run"?)', '  try: npx whodunit help']],
  [
    ['run', 'cgruop=v1'],
    ['there is no axis or parameter "cgruop" (did you mean "cgroup"?)', SELECTOR_HELP],
  ],
  [
    ['up', 'os=bookwurm'],
    ['os has no value "bookwurm" (did you mean "bookworm"?)', VARIANT_HELP],
  ],
  [
    ['bake', 'cgroup=v3'],
    ['cgroup has no value "v3" (did you mean "v2"?)', VARIANT_HELP],
  ],
  [
    ['up', 'default/plain-exit'],
    ['"default/plain-exit" is not a variant (did you mean "default", without a scenario?)', VARIANT_HELP],
  ],
  [
    ['run', 'scenario=plain-exits'],
    ['there is no scenario "plain-exits" (did you mean "plain-exit"?)', SELECTOR_HELP],
  ],
  [
    ['run', 'set=quik'],
    ['there is no set "quik" (did you mean "quick"?)', SELECTOR_HELP],
  ],
  [
    ['run', 'cgroup=v3', 'scenario=plain-exits', 'oses=x'],
    [
      '3 problems',
      '  cgroup has no value "v3" (did you mean "v2"?)',
      '  there is no scenario "plain-exits" (did you mean "plain-exit"?)',
      '  there is no axis or parameter "oses" (did you mean "os"?)',
      SELECTOR_HELP,
    ],
  ],
  [
    ['run', 'default/supercronic-zombies[init=tiny]'],
    ['init has no value "tiny" (did you mean "tini"?)', SELECTOR_HELP],
  ],
  [
    ['down', 'v1'],
    ['there is no world "v1", as none is up; nothing was removed', '  try: npx whodunit status'],
  ],
  [
    ['down', 'cgroup=v1', 'nope'],
    ['there is no world "nope", "v1", as none is up; nothing was removed', '  try: npx whodunit status'],
  ],
  [
    ['up', 'kubernetes=1.29'],
    [
      'kubernetes has no value "1.29" (there are: 1.34, 1.37, 1.36, 1.35, 1.31, 1.27, 1.22, or an exact one like 1.29.14)',
      VARIANT_HELP,
    ],
  ],
  [
    ['list', 'deaths'],
    ['"deaths" matches no cell (did you mean "set=deaths"?)', SELECTOR_HELP],
  ],
  [
    ['run', '--last-failed', 'oom-*'],
    [
      '--last-failed selects the cells itself, so it takes no selectors',
      '  try: npx whodunit run --last-failed',
    ],
  ],
  [
    ['report', 'html'],
    ['"html" is a format, not a run', '  try: npx whodunit report --format html'],
  ],
  [
    ['new', 'scenrio', 'x'],
    [
      'new cannot create a "scenrio" (did you mean "scenario"?)',
      '  try: npx whodunit new scenario my-scenario',
    ],
  ],
  [
    ['new', 'bug', 'A b'],
    ['"A b" is not a valid name: use lower-case words joined by -', '  try: npx whodunit new bug my-bug'],
  ],
  [
    ['explain', 'memcg-om'],
    ['nothing is called "memcg-om" (did you mean "memcg-oom"?)', '  try: npx whodunit help explain'],
  ],
  [
    ['completion', 'bsh'],
    ['there is no completion for "bsh" (did you mean "bash"?)', '  try: npx whodunit help completion'],
  ],
  [
    ['scenarios', 'plain-exits'],
    ['no scenario has "plain-exits" (did you mean "plain-exit"?)', '  try: npx whodunit scenarios'],
  ],
  [['shell'], ['no world is up', '  try: npx whodunit up']],
  [
    ['shell', '--world', 'v1'],
    ['no world "v1" is up', '  try: npx whodunit up'],
  ],
  [
    ['kubectl', 'get', 'pods'],
    ['no world is up', '  try: npx whodunit up'],
  ],
  [['logs'], ['no world is up', '  try: npx whodunit up']],
  [
    ['logs', 'kubelets'],
    ['there is no log "kubelets" (did you mean "kubelet"?)', '  try: npx whodunit help logs'],
  ],
  // all that is wrong in one line
  [
    ['prove', 'latest', '--repeat', '0', '--budget', 'soon'],
    [
      '2 problems',
      '  --repeat takes a whole number from 1 to 100, not "0"',
      '  --budget takes a time such as 90m or 1h30m, from 1s to 168h, not "soon"',
      '  try: npx whodunit help prove',
    ],
  ],
  [
    ['bisect', '--resume', '--axis', 'containerd', '--good', '1.6.20', '--saved', 'latest'],
    [
      '2 problems',
      '  --axis, --good are not used here: --resume asks what was asked before',
      '  --saved is not used here: --resume asks what was asked before',
      '  try: leave them out, or npx whodunit help bisect',
    ],
  ],
  [
    ['plan', 'plain-exit', '--host', 'gpu,cpus=x'],
    [
      '2 problems',
      '  "gpu" says nothing of a host (there are: memory, cpus, kvm)',
      '  cpus takes a number from 1, not "x"',
      '  try: --host memory=64GiB,cpus=16,kvm',
    ],
  ],
  [
    ['gate', '--base', '/nowhere', 'docs', '--head', 'docs'],
    [
      '2 problems',
      '  there is no folder or run "/nowhere", and no run was saved yet',
      '  docs is not the folder of a run: it has no result.json',
      '  try: npx whodunit run saves one; or name a folder that has a cell.json',
    ],
  ],
  // a file that a person names is theirs, and nothing to be moved out of the way
  [
    ['run', '--plan', 'docs', '--shard', '1'],
    ['docs is not a plan: it is a folder', PLAN_HELP],
  ],
  [
    ['run', '--plan', 'README.md', '--shard', '1'],
    ['README.md is not a plan: it is not JSON, or only a part of it', PLAN_HELP],
  ],
  [
    ['merge', 'docs', '--plan', 'package.json'],
    ['package.json is not a plan: it has no format version', PLAN_HELP],
  ],
  [
    ['shard', 'manifest', '--engine', 'slurm', '--plan', '/dev/null'],
    ['/dev/null is not a file: not read', PLAN_HELP],
  ],
  [
    ['plan', 'plain-exit', '--timings', 'docs'],
    [
      'docs is not a timings.jsonl: it is a folder',
      '  try: timings.jsonl of a state folder has what earlier runs took',
    ],
  ],
  [
    ['gate', '--baseline', 'docs'],
    ['docs is not a baseline: it is a folder', '  try: npx whodunit gate --for <program> --record docs'],
  ],
  [
    ['gate', '--for', 'runc', '--from', 'docs'],
    [
      'docs is not a diff: it is a folder',
      '  try: a file with what git diff printed, or - for standard input',
    ],
  ],
  [
    ['gate', '--for', 'runc', '--from', 'README.md'],
    [
      '--from is not what git diff prints: no line of it begins with diff --git',
      '  try: npx whodunit gate --for runc --dry-run',
    ],
  ],
];

const NO_MATCH = ['run', 'cron-job-oom', 'oom-x*'];
const NOTHING_UP = ['down'];

let ends: readonly LineEnd[];
beforeAll(async () => {
  const plan = join(folder, 'plan.json');
  const ofEvidence = [
    ['plan', 'plain-exit', '--out', plan],
    ['run', '--plan', plan, '--shard', '1', '--evidence', 'docs', '--dry-run'],
  ];
  const lines = [...WRONG.map(([words]) => words), NO_MATCH, ...ofEvidence, NOTHING_UP];
  ends = await runLines({ file: join(folder, 'lines.json'), env: { WHODUNIT_HOME: home } }, lines);
});

describe('words that are wrong', () => {
  it.each(WRONG.map(([words, lines], index) => ({ words, lines, index })))(
    'are told in one message: $words',
    ({ words, lines, index }) => {
      expect(ends[index]).toEqual({
        words,
        status: 2,
        stdout: '',
        stderr: `error LAB_USAGE: ${lines.join('\n')}\n`,
      });
    },
  );

  it('that match nothing are told how to list what there is', () => {
    const stderr = `error LAB_USAGE: "oom-x*" matches no cell\n${SELECTOR_HELP}\n`;
    expect(ends.find(({ words }) => words.includes('oom-x*'))).toMatchObject({ status: 2, stderr });
  });

  it('that name evidence for a plan that runs its cells are refused', () => {
    const why = '--evidence is for a plan that judges saved evidence; this one runs cells';
    expect(ends.at(-2)).toMatchObject({ status: 2, stdout: '' });
    expect(ends.at(-2)?.stderr).toContain(why);
  });

  it('that ask to remove what is not there are no error', () => {
    expect(ends.at(-1)).toMatchObject({ stdout: 'no world is up: nothing to remove\n', status: 0 });
  });
});
