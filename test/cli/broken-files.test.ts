import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKEN_FILES, breakText, SMALL_PROJECT, type BrokenFile } from '../fixtures/broken-files.ts';
import { scenarioSkeleton } from '../../lab/plan/config/skeletons.ts';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';
import { runLines, type LineEnd } from './support/run-lines.ts';

/** One in so many of the table is run as a user runs it; the unit tests read all of them. */
const EVERY = 8;
const chosen = BROKEN_FILES.filter((_, index) => index % EVERY === 0);
const REPLAY = 'replay.yaml';
/** What cannot go on, by the beginning of the broken file. */
const NEEDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  [REPLAY]: [['repro', REPLAY]],
  'scenarios/': [
    ['list'],
    ['run'],
    ['scenarios', 'eats-*'],
    ['repro', 'lost-label'],
    ['run', 'default/eats-too-much'],
  ],
  'bugs/': [
    ['repro', 'lost-label'],
    ['run', 'bug=lost-*'],
    ['list', 'bug=lost-label'],
  ],
  '': [['list'], ['run'], ['up'], ['bake'], ['bugs']],
};
const wordsFor = ({ file }: BrokenFile, index: number): readonly string[] => {
  const [, lines = []] = Object.entries(NEEDS).find(([beginning]) => file.startsWith(beginning)) ?? [];
  return lines[index % lines.length] ?? [];
};

let folder: string;
let project: ProjectCopy;
const read = (path: string): string => readFileSync(join(SMALL_PROJECT, path), 'utf8');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-broken-files-'));
  project = copyProject(folder);
  for (const part of ['scenarios', 'bugs']) project.change(part, undefined);
  const files = readdirSync(SMALL_PROJECT, { recursive: true, encoding: 'utf8' });
  for (const path of files.filter((file) => /\.\w+$/.test(file))) project.change(path, read(path));
});
afterAll(() => {
  const isStarted = existsSync(project.home);
  rmSync(folder, { recursive: true });
  expect(isStarted).toBe(false);
});

/** What a user calls a file. The replay is a word of the command line, which runs elsewhere. */
const spell = (path: string): string => (path === REPLAY ? join(project.dir, REPLAY) : path);

describe(`${chosen.length} of ${BROKEN_FILES.length} broken files, on the real command line`, () => {
  const rows = chosen.map((row, index) => ({ ...row, words: wordsFor(row, index), index }));
  let ends: readonly LineEnd[];
  beforeAll(async () => {
    ends = await runLines(
      { file: join(folder, 'lines.json'), project: project.dir, env: { WHODUNIT_HOME: project.home } },
      rows.map((row) => ({
        words: row.words.map(spell),
        texts: { [row.file]: breakText(row, read(row.file)) },
      })),
    );
  });

  it.each(rows)('$words: $file, $name: starts nothing, and says so in one message', (row) => {
    const { stderr, ...end } = ends[row.index]!;
    expect(end).toEqual({ words: row.words.map(spell), status: 2, stdout: '' });
    expect(stderr).toMatch(/^error LAB_CONFIG: /);
    const place = `${spell(row.file)}${row.at === undefined ? '' : `:${row.at}`}`;
    const lines = stderr.split('\n').filter((line) => line.startsWith(`  ${place}: `));
    for (const piece of row.says) expect(lines.join('\n')).toContain(piece);
  });
});

describe('a broken scenario or bug', () => {
  const SCENARIO = 'scenarios/eats-too-much/scenario.yaml';
  const BUG = 'bugs/lost-label.yaml';
  const OTHER = 'ends-by-itself';

  beforeAll(() => {
    for (const { path, text } of scenarioSkeleton(OTHER)) project.change(path, text);
  });
  afterAll(() => {
    for (const { path } of scenarioSkeleton(OTHER)) project.change(path, undefined);
    project.change(`scenarios/${OTHER}`, undefined);
  });

  it.each([
    [SCENARIO, ['list', OTHER], `default/${OTHER}`],
    [SCENARIO, ['run', OTHER, '--dry-run'], `default/${OTHER}`],
    [SCENARIO, ['scenarios'], OTHER],
    [SCENARIO, ['bugs'], ''],
    [SCENARIO, ['explain', OTHER], OTHER],
    [BUG, ['list', 'eats-too-much'], 'default/eats-too-much'],
    [BUG, ['bugs'], ''],
  ])('%s: %s goes on, and names what is left out', async (file, words, shown) => {
    project.change(file, read(file).replace('title:', 'tilte:'));
    const { status, stdout, stderr } = await project.run(words);
    project.change(file, read(file));
    expect(stderr).toContain('is broken and left out: ');
    expect(stderr).toContain(`${file}:`);
    expect(stderr).toContain('(did you mean "title"?)');
    expect(stderr).not.toContain('error');
    expect(stdout).toContain(shown);
    expect(status).toBe(0);
  });
});

describe('what only the release or the host of a cell can tell', () => {
  const POD = 'scenarios/eats-too-much/manifests/pod.yaml';

  it('is a field that the release of a cell does not have', async () => {
    const text = read(POD).replace('spec:\n', 'spec:\n  hostnameOverride: eater\n');
    project.change(POD, text);
    expect(await project.run(['list'])).toMatchObject({ status: 0, stderr: '' });
    const { status, stdout, stderr } = await project.run(['run', 'kubernetes=1.31']);
    project.change(POD, read(POD));
    expect(stderr).toContain(
      `  ${POD}:7:3: document 1.spec.hostnameOverride: expected one of the fields of Kubernetes 1.31: `,
    );
    expect(stderr).toContain('which releases it is for');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it('is a field of the kubelet that the release of a variant does not have', async () => {
    const text = read('matrix.yaml').replace('podPidsLimit: 64', 'singleProcessOOMKill: true');
    project.change('matrix.yaml', text);
    expect(await project.run(['list'])).toMatchObject({ status: 0, stderr: '' });
    for (const verb of ['up', 'bake', 'run']) {
      const { status, stdout, stderr } = await project.run([verb, 'knobs=tight', 'kubernetes=1.31']);
      expect(stderr).toMatch(
        / {2}matrix\.yaml:\d+:\d+: knobs\.tight\.kubelet\.singleProcessOOMKill: expected one of the fields of Kubernetes 1\.31: /,
      );
      expect(stderr).toContain('which releases it is for');
      expect(stdout).toBe('');
      expect(status).toBe(2);
    }
    project.change('matrix.yaml', read('matrix.yaml'));
  });

  it.each([
    ['list', 'kernel=file:./nope'],
    ['run', 'kernel=file:/nope'],
    ['up', 'kernel=file:./matrix.yml'],
  ])('is a local build that is not there: %s %s', async (...words) => {
    const { status, stdout, stderr } = await project.run(words);
    // A path that a person types counts from where they are, and is said in full.
    const typed = (words[1] ?? '').replace('file:./', `file:${process.cwd()}/`);
    expect(stderr).toContain(`error LAB_USAGE: ${typed}: there is no /`);
    if (words[0] === 'up') expect(stderr).toContain('(did you mean "matrix.yaml"?)');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});
