import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlatform } from '../../../../lab/commands/setup/config.ts';
import { readProjectFile, readProjectFiles } from '../../../../lab/drivers/project/project-files.ts';
import { ConfigError, type ConfigProblem } from '../../../../lab/model/errors/errors.ts';
import { placeProblems } from '../../../../lab/model/files/yaml-file.ts';
import { checkReplayNames, parseReplay } from '../../../../lab/plan/config/check-replay.ts';
import { parseConfig, type ConfigFile } from '../../../../lab/plan/config/parse-config.ts';
import { BROKEN_FILES, breakText, SMALL_PROJECT } from '../../../fixtures/broken-files.ts';
import { PROJECT } from '../../project-files.ts';

/** More would not be read by anybody. */
const MAX_LENGTH = 3000;
/** Any of them takes a fraction of this, also on a busy host. */
const MAX_MS = 20_000;

const platform = readPlatform(PROJECT);
const small = readProjectFiles(SMALL_PROJECT);
const REPLAY = 'replay.yaml';
const replay = readProjectFile(SMALL_PROJECT, REPLAY)!;

/** The one error that a project ends in; undefined when it is accepted. */
function refusalOf(files: readonly ConfigFile[]): ConfigError | undefined {
  try {
    parseConfig(files, platform);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** The one error that the replay of a right project ends in. */
function refusalOfReplay(files: readonly ConfigFile[]): ConfigError | undefined {
  const problems: ConfigProblem[] = [];
  const changed = files.filter(({ path }) => path === REPLAY);
  const config = parseConfig(small, platform);
  for (const file of changed) {
    const replay = parseReplay(file, problems);
    if (replay !== undefined) problems.push(...checkReplayNames(file.path, replay, config));
  }
  return problems.length === 0 ? undefined : new ConfigError(placeProblems(problems, changed));
}

describe(`${BROKEN_FILES.length} broken files of the small project`, () => {
  it('are right before they are broken', () => {
    expect(refusalOf(small)).toBeUndefined();
    expect(refusalOfReplay([replay])).toBeUndefined();
    expect(BROKEN_FILES.length).toBeGreaterThanOrEqual(200);
  });

  it.each(BROKEN_FILES)('$file, $name: one message says where, what and what instead', (row) => {
    const files = [...small, replay].map((file) =>
      file.path === row.file ? { ...file, text: breakText(row, file.text) } : file,
    );
    const started = performance.now();
    const refusal = row.file === REPLAY ? refusalOfReplay(files) : refusalOf(files);
    expect(performance.now() - started).toBeLessThan(MAX_MS);
    expect(refusal).toMatchObject({ code: 'LAB_CONFIG', exitCode: 2 });
    const { message = '', problems = [] } = refusal ?? {};
    expect(problems).toHaveLength(row.problems ?? 1);
    expect(message.length).toBeLessThan(MAX_LENGTH);
    const place = row.at === undefined ? row.file : `${row.file}:${row.at}`;
    const line = message.split('\n').find((line) => line.startsWith(`  ${place}: `)) ?? message;
    expect(line).toContain(`  ${place}: `);
    for (const piece of row.says) expect(line).toContain(piece);
  });
});

describe('a file that is no text, or has a name that means nothing', () => {
  const FOLDER = 'scenarios/eats-too-much';
  let base: string;
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'whodunit-broken-files-'));
  });
  afterAll(() => rmSync(base, { recursive: true }));

  /** What is said of a copy of the small project, changed on disk. */
  function messageAfter(change: (path: (name: string) => string) => void): string {
    const dir = mkdtempSync(join(base, 'project-'));
    cpSync(SMALL_PROJECT, dir, { recursive: true });
    change((name) => {
      rmSync(join(dir, name), { recursive: true, force: true });
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      return join(dir, name);
    });
    const { message = '' } = refusalOf(readProjectFiles(dir)) ?? {};
    expect(message.length).toBeLessThan(MAX_LENGTH);
    return message;
  }

  it.each([
    'matrix.yaml',
    'components.yaml',
    `${FOLDER}/scenario.yaml`,
    `${FOLDER}/manifests/pod.yaml`,
    'bugs/lost-label.yaml',
  ])('is refused: %s as a folder, in UTF-16, in bytes, too long, or a pipe', (file) => {
    const refused = (received: string) =>
      expect.stringContaining(`  ${file}: expected a text file (UTF-8), received ${received}`) as string;
    expect(messageAfter((path) => mkdirSync(path(file)))).toEqual(refused('a folder'));
    const utf16 = Buffer.from('\ufefformatVersion: 1\n', 'utf16le');
    expect(messageAfter((path) => writeFileSync(path(file), utf16))).toEqual(refused('UTF-16'));
    const latin1 = Buffer.from('about: caf\u00e9\n', 'latin1');
    expect(messageAfter((path) => writeFileSync(path(file), latin1))).toEqual(
      refused('bytes that are not UTF-8'),
    );
    expect(messageAfter((path) => writeFileSync(path(file), 'a: \0'))).toEqual(
      refused('bytes that are not text'),
    );
    expect(messageAfter((path) => writeFileSync(path(file), '#'.repeat(2 ** 21)))).toEqual(
      refused('2097152 bytes'),
    );
    expect(messageAfter((path) => execFileSync('mkfifo', [path(file)]))).toEqual(refused('a pipe'));
  });

  it.each(['matrix.yaml', 'components.yaml', `${FOLDER}/scenario.yaml`])(
    'is missed: %s, and a link to nothing',
    (file) => {
      const missed = `  ${file}: expected a file, received nothing`;
      expect(messageAfter((path) => path(file))).toContain(missed);
      expect(messageAfter((path) => symlinkSync('nowhere', path(file)))).toContain(missed);
    },
  );

  it.each([
    [`${FOLDER}-again/scenrio.yaml`, 'scenrio.yaml', 'scenario.yaml'],
    [`${FOLDER}-again/scenario.yml`, 'scenario.yml', 'scenario.yaml'],
    [`${FOLDER}/manifest/more.yaml`, 'manifest/more.yaml', 'manifests/more.yaml'],
    [`${FOLDER}/manifests/pod.json`, 'manifests/pod.json', 'manifests/pod.yaml'],
    [`${FOLDER}/samplers/count.py`, 'samplers/count.py', undefined],
    ['bugs/lost-label.yaml.txt', 'lost-label.yaml.txt', undefined],
  ])('is named with the nearest: %s', (file, name, nearest) => {
    const message = messageAfter((path) => writeFileSync(path(file), 'a: 1\n'));
    expect(message).toMatch(/^one problem in the configuration\n/);
    expect(message).toContain(`  ${file}: expected one of the files `);
    expect(message).toContain(
      `received "${name}"${nearest === undefined ? '' : ` (did you mean "${nearest}"?)`}`,
    );
  });

  it('is no problem when it is hidden, Markdown, or a copy of an editor', () => {
    expect(
      messageAfter((path) => {
        for (const name of ['README.md', '.DS_Store', 'scenario.yaml~'])
          writeFileSync(path(`${FOLDER}/${name}`), '');
      }),
    ).toBe('');
  });
});
