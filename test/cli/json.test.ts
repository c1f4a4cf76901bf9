import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERBS } from '../../lab/commands/line/verbs.ts';
import { listSchemaErrors } from '../cyclonedx.ts';
import { copySmallProject } from './support/project-copy.ts';
import { PROJECT, type Ended } from './support/run-cli.ts';
import { listVerbLines, SAVED_RUN } from './support/verb-lines.ts';

/** Answers for which a machine must have been up, an image made, or Go and the network asked. */
const OF_MACHINES = ['up up', 'bake bake', 'repro repro', 'repro run-result', 'lock lock'];
/** Answers that want a registry, a folder of their own, runs of shards or catalogued programs: their own tests ask for them with --json. */
const OF_OTHER_TESTS = [
  'cache cache-push',
  'cache cache-pull',
  'init init',
  'merge merge',
  'gate gate',
  'gate gate-plan',
  'gate baseline',
  'bisect bisect',
  'report bisect',
  'report difference',
  'difference difference',
  'prove prove',
  'prove prove-plan',
  'why prove',
];

/** Lines about programs of nodes, of which the small project has none. */
const OF_COMPONENTS = [
  ['up', '--dry-run', '--json'],
  ['cache', 'why', 'image', '--json'],
  ['sbom', '--json'],
];

/** Lines that are wrong, each in another way, and those that are no verb. */
const OTHERS: readonly (readonly string[])[] = [
  ['help', '--json'],
  ['help', 'run', '--json'],
  ['help', 'help', '--json'],
  ['--version', '--json'],
  ['nosuchverb', '--json'],
  ['--json', 'list'],
  ['help', 'nope', '--json'],
  ['list', '--nope', '--json'],
  ['list', '', '--json'],
  ...['scenarios', 'bugs', 'killers', 'runs', 'worlds'].map((kind) => ['list', kind, '--json']),
  ['run', '--parallel', 'abc', '--json'],
  ['killers', '-o', 'json'],
  ['killers', '-o', 'json', 'odd', 'words'],
  ['kubectl', '--json'],
  ['list', 'scenario=broken-by-a-test', '--json'],
];

let folder: string;
let ends: LineEnd[];

/** How a line ended. */
interface LineEnd extends Ended {
  readonly words: readonly string[];
}

/** Runs lines where nothing can be started. */
function runLines(dir: string, lines: readonly (readonly string[])[]): LineEnd[] {
  const path = join(folder, 'lines.json');
  writeFileSync(path, JSON.stringify(lines));
  const driver = join(PROJECT, 'test/cli/support/run-lines.mjs');
  const stdout = execFileSync(process.execPath, [driver, dir, path], {
    cwd: folder,
    env: { PATH: '/nonexistent', HOME: folder, WHODUNIT_HOME: join(folder, 'state') },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as LineEnd[];
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-json-'));
  const project = copySmallProject(folder);
  const { dir, home } = project;
  cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
  mkdirSync(join(home, 'worlds'));
  const event = { at: '2025-01-01T09:00:00.000Z', event: 'run-started', cells: 1, pid: 1, startTicks: '1' };
  writeFileSync(join(home, 'runs', SAVED_RUN, 'events.jsonl'), `${JSON.stringify(event)}\n`);
  project.change('scenarios/broken-by-a-test/scenario.yaml', 'name: broken-by-a-test\n');
  // What comes after the words for another program is for that one.
  const withJson = ([verb = '', ...words]: string[]): string[] =>
    VERBS.find(({ name }) => name === verb)?.passThrough === true
      ? [verb, '--json', ...words]
      : [verb, ...words, '--json'];
  const lines = [...listVerbLines().map(withJson), ...OTHERS];
  ends = [...runLines(dir, lines), ...runLines(PROJECT, OF_COMPONENTS)];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a schema of docs/schemas says is wrong; nothing when it fits. */
function findErrors(name: string, value: unknown): string[] {
  if (name === 'CycloneDX') return listSchemaErrors(value);
  const schema = JSON.parse(
    readFileSync(join(PROJECT, 'docs/schemas', `${name}.schema.json`), 'utf8'),
  ) as Schema;
  const { errors } = new Validator(schema, '2020-12').validate(value);
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

/** The schemas of what a line may answer. */
function answersOf([name = '', other = '']: readonly string[]): readonly string[] {
  if (name === 'help') return ['help'];
  if (name.startsWith('--')) return name === '--version' ? ['version'] : [];
  if (name === 'cache') return [`cache-${other}`];
  return VERBS.find((verb) => verb.name === name)?.answers ?? [];
}

/** The JSON that a line printed: of events one a line. */
function readAnswers({ words, stdout }: (typeof ends)[number]): unknown[] {
  if (words[0] === 'events' && !stdout.startsWith('{\n'))
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  return [JSON.parse(stdout)];
}

const isError = (value: unknown): boolean => typeof value === 'object' && value !== null && 'error' in value;

describe('what a command line prints with --json', () => {
  it('is JSON of a published schema, errors too, whatever is wrong with the line', () => {
    const wrong = ends.flatMap((end) => {
      const line = end.words.join(' ');
      const values = readAnswers(end);
      return values.flatMap((value) => {
        const names = isError(value) ? ['error'] : answersOf(end.words);
        const errors = names.map((name) => [name, ...findErrors(name, value)]);
        return errors.some((found) => found.length === 1) ? [] : [`${line}: ${JSON.stringify(errors)}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('is an error exactly where the exit code says so', () => {
    for (const end of ends.filter(({ words }) => words[0] !== 'events')) {
      const [value] = readAnswers(end);
      const { error } = value as { error?: { exitCode: number } };
      if (error !== undefined) expect(end.status, end.words.join(' ')).toBe(error.exitCode);
      else expect([0, 1, 3], end.words.join(' ')).toContain(end.status);
    }
  });

  it('has been seen of every schema of every verb, but for those of machines', () => {
    const seen = new Set(
      ends.flatMap((end) =>
        readAnswers(end).flatMap((value) =>
          isError(value)
            ? []
            : answersOf(end.words)
                .filter((name) => findErrors(name, value).length === 0)
                .map((name) => `${end.words[0] ?? ''} ${name}`),
        ),
      ),
    );
    const all = VERBS.flatMap(({ name, answers = [] }) => answers.map((answer) => `${name} ${answer}`));
    expect(
      all.filter((answer) => !seen.has(answer) && ![...OF_MACHINES, ...OF_OTHER_TESTS].includes(answer)),
    ).toEqual([]);
  });

  it('is promised by exactly the verbs that name a schema', () => {
    for (const { name, flags, answers = [] } of VERBS) expect('json' in flags, name).toBe(answers.length > 0);
  });
});

describe('what a verb that lists prints with -o', () => {
  it.each(VERBS.filter(({ flags }) => 'output' in flags).map(({ name }) => name))(
    '%s: names and tables',
    (name) => {
      const words = name === 'cache' ? ['cache', 'list'] : [name];
      const lines = [
        [...words, '-o', 'name'],
        [...words, '-o', 'wide'],
        [...words, '--json', '-o', 'wide'],
      ];
      rmSync(join(folder, 'project/scenarios/broken-by-a-test'), { recursive: true, force: true });
      const [names, wide, both] = runLines(join(folder, 'project'), lines);
      const listed = names!.stdout.split('\n').filter((line) => line !== '');
      expect(names!.status).toBe(0);
      // Nothing is listed in no line, not in an empty one.
      expect(names!.stdout).toBe(listed.map((line) => `${line}\n`).join(''));
      expect(listed.every((line) => !line.includes(' '))).toBe(true);
      const rows = wide!.stdout.trimEnd().split('\n');
      expect(rows.slice(1).map((row) => row.split(' ')[0])).toEqual(listed);
      expect(both!.status).toBe(2);
    },
  );
});
