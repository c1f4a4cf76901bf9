import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROJECT, runProgram, type Ended } from '../support/run-cli.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(readFileSync(join(PROJECT, 'action/action.yml'), 'utf8')) as Action;
const scripts = action.runs.steps.filter(({ run }) => run !== undefined);

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'whodunit-action-'))));
afterEach(() => rmSync(home, { recursive: true }));

/** Puts in what a runner puts in for an expression; any other expression is an error of this test. */
function fillIn(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = known[expression];
    if (value === undefined) throw new Error(`who fills in ${expression}?`);
    return value;
  });
}

/** Runs the steps of the action in their order, as a runner does: after a failure only those with `if: always()`. */
async function runSteps(words: string): Promise<Ended[]> {
  const variables = join(home, 'env');
  writeFileSync(variables, '');
  const known = { 'runner.temp': home, 'inputs.words': words };
  const ended: Ended[] = [];
  for (const step of scripts) {
    if (ended.some(({ status }) => status !== 0) && step.if !== 'always()') continue;
    const set = readFileSync(variables, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('='));
    const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, fillIn(text, known)]);
    const env = {
      WHODUNIT_HOME: join(home, 'state'),
      GITHUB_ACTION_PATH: join(PROJECT, 'action'),
      GITHUB_ACTIONS: 'true',
      GITHUB_ENV: variables,
      GITHUB_STEP_SUMMARY: join(home, 'summary'),
      npm_lifecycle_event: undefined,
      ...(Object.fromEntries([...set, ...own]) as Record<string, string>),
    };
    // As a runner starts `shell: bash`.
    const options = ['--noprofile', '--norc', '-eo', 'pipefail', '-c'];
    ended.push(await runProgram('bash', [...options, step.run ?? ''], env, home));
  }
  return ended;
}

describe('the action', () => {
  // A rule refuses the cell of the last line, so that no machine is needed.
  it.each([
    ['judge latest', ['junit.xml', 'report.html', 'run.tar.gz']],
    ['run os=trixie cgroup=v1 plain-exit', ['junit.xml', 'report.html']],
    [
      'gate --base latest --head latest',
      ['gate.json', 'gate.md', 'gate.xml', 'junit.xml', 'report.html', 'run.tar.gz'],
    ],
    ['gate --record=deaths.json --base latest', ['junit.xml', 'report.html', 'run.tar.gz']],
  ])('does what follows whodunit, and keeps what there is: %s', async (words, kept) => {
    cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'state/runs'), { recursive: true });
    const ended = await runSteps(words);
    expect(ended.filter(({ status }) => status !== 0)).toEqual([]);
    expect(ended).toHaveLength(scripts.length);
    expect(readdirSync(join(home, 'whodunit-run')).sort()).toEqual(kept);
    if (kept.includes('gate.md'))
      expect(readFileSync(join(home, 'summary'), 'utf8')).toContain(
        readFileSync(join(home, 'whodunit-run/gate.md'), 'utf8'),
      );
  });

  it('never takes the words of a caller for a part of its script', async () => {
    const ended = await runSteps('list $(touch "$HOME/stranger") ; touch stranger');
    expect(ended.some(({ status }) => status === 2)).toBe(true);
    expect(readdirSync(home)).not.toContain('stranger');
  });

  it('has a shell for each script, and takes each action by its major version', () => {
    expect(action.runs.using).toBe('composite');
    for (const step of scripts) expect(step.shell, step.name).toBe('bash');
    for (const { run = '' } of scripts) expect(run).not.toContain('${{');
    for (const { uses } of action.runs.steps) expect(uses ?? 'a/b@v1').toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
  });
});

describe('actionlint', () => {
  it('finds nothing in any workflow, and nothing in how they call the action', async () => {
    const workflows = ['.github', 'examples/gate/.github', 'examples/own-project/.github'].flatMap((folder) =>
      readdirSync(join(PROJECT, folder, 'workflows')).map((name) => join(folder, 'workflows', name)),
    );
    const program = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';
    const ended = await runProgram('go', ['run', program, ...workflows], { GOFLAGS: '-mod=mod' });
    // The first time Go says what it downloads.
    const stderr = ended.stderr.replace(/^go: downloading .*\n/gm, '');
    expect({ ...ended, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
