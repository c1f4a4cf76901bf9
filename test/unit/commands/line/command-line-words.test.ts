import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCH_EXIT_CODES, LAUNCH_FORMAT_VERSION } from '../../../../bin/launch-error.mjs';
import { createContext, type Context } from '../../../../lab/commands/context/context.ts';
import { FLAGS, spellFlag, type FlagName } from '../../../../lab/commands/context/flags.ts';
import { runCommandLine } from '../../../../lab/commands/line/command-line.ts';
import { VERBS } from '../../../../lab/commands/line/verbs.ts';
import { EXIT_CODES } from '../../../../lab/model/errors/exit-status.ts';
import { FORMAT_VERSION } from '../../../../lab/model/files/format-version.ts';
import { ENVIRONMENT_TABLE, type VariableRow } from '../../../../lab/model/host/environment.ts';

let home: string;
let context: Context;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-words-'));
  const refuse = (): Promise<never> => Promise.reject(new Error('nothing is to be started'));
  context = {
    ...createContext(AbortSignal.abort(), { WHODUNIT_HOME: home }),
    run: refuse,
    download: refuse,
    print: () => undefined,
    printPage: () => undefined,
    printTable: () => undefined,
    printJson: () => undefined,
  };
});
afterAll(() => rmSync(home, { recursive: true }));

const takesValue = (name: string): boolean => new Option(FLAGS[name as FlagName]).required;
const FLAGS_OF_VERBS = VERBS.flatMap((verb) =>
  Object.keys(verb.flags)
    .filter((flag) => takesValue(flag) && verb.switches?.includes(flag as FlagName) !== true)
    .map((flag) => [verb.name, spellFlag(flag as FlagName)] as const),
);
const VERBS_WITH_WORDS = VERBS.filter(({ words }) => words !== undefined).map(
  ({ name, words = '' }) => [name, Array.from(words.matchAll(/ </g), () => 'x')] as const,
);
const VARIABLES = Object.values(ENVIRONMENT_TABLE).flatMap((rows: Readonly<Record<string, VariableRow>>) =>
  Object.entries(rows).map(([name, { empty }]) => [name, empty] as const),
);

describe('an empty word', () => {
  it.each(VERBS_WITH_WORDS)('is refused by %s', async (verb, others) => {
    for (const empty of ['', ' '])
      await expect(runCommandLine(context, [verb, empty, ...others])).rejects.toMatchObject({
        code: 'LAB_USAGE',
        message: `word 1 of ${verb} is empty`,
      });
  });

  it.each(FLAGS_OF_VERBS)('is refused as the value of a flag: %s %s', async (verb, flag) => {
    for (const words of [[flag, ''], [`${flag}=`], [flag, ' ']])
      await expect(runCommandLine(context, [verb, ...words])).rejects.toMatchObject({
        code: 'LAB_USAGE',
        message: `${flag} of ${verb} has an empty value`,
      });
  });

  it.each(VARIABLES)('is a mistake or no value, as the table says: %s is %s', async (name, empty) => {
    const ended = runCommandLine(context, ['version'], { [name]: '' });
    if (empty === 'unset') await expect(ended).resolves.toBe(0);
    else
      await expect(ended).rejects.toMatchObject({ code: 'LAB_USAGE', message: `${name} is set, but empty` });
  });
});

describe('a number', () => {
  const COUNTS = ['abc', '0', '-1', '1.5', '1e9', '0x10', '1000000000000', ' 1', '１'];
  it.each([
    ['run', '--parallel', COUNTS],
    ['run', '--lanes', [...COUNTS, '100', 'Auto']],
    ['repro', '--repeat', COUNTS],
    ['cache', '--max-size', ['20', 'GiB', '-1GiB', '1e9G', '20 GiB', '20gib', '20B', 'NaN', '9'.repeat(400)]],
  ] as const)('is read in one place, also where nothing is run: %s %s', async (verb, flag, wrong) => {
    for (const value of wrong)
      await expect(
        runCommandLine(context, [verb, 'prune', `${flag}=${value}`, '--dry-run']),
        value,
      ).rejects.toMatchObject({
        code: 'LAB_USAGE',
        message: expect.stringContaining(`${flag} takes `) as string,
      });
  });

  it.each(['20GiB', '20Gi', '20GB', '20G', '500M', '1.5TiB'])('may be a size such as %s', async (size) => {
    expect(await runCommandLine(context, ['cache', 'prune', '--max-size', size, '--dry-run'])).toBe(0);
  });
});

describe('a flag that a call does not use', () => {
  it.each([
    ['down', 'v1', '--all'],
    ['run', '--resume', '--seed', '5'],
    ['run', '--resume', '--pairwise'],
    ['cache', 'list', '--max-size', '1GiB'],
    ['cache', 'why', '--dry-run'],
    ['cache', 'list', '--no-wait'],
    ['cache', 'prune', '-o', 'name'],
    ['cache', 'prune', '--all-unused', '--max-size', '1GiB'],
    ['report', '--table', '--json'],
    ['report', '--format', 'html', '--json'],
    ['repro', 'x', '--markdown', '--json'],
    ['list', '--summary', '-o', 'name'],
    ['killers', '--json', '-o', 'name'],
  ])('is refused: %s %s %s %s', async (...words) => {
    await expect(runCommandLine(context, words.filter(Boolean))).rejects.toMatchObject({
      code: 'LAB_USAGE',
      message: expect.stringContaining('is not used here') as string,
    });
  });
});

describe('what is printed before the program is there', () => {
  it('has the version of the other formats', () => {
    expect(LAUNCH_FORMAT_VERSION).toBe(FORMAT_VERSION);
  });

  it('ends with the exit codes of the program', () => {
    expect(EXIT_CODES).toMatchObject(LAUNCH_EXIT_CODES);
  });
});

describe('a checkout outside of the project', () => {
  let runc: string;
  beforeAll(() => {
    runc = join(home, 'runc');
    mkdirSync(join(runc, '.git'), { recursive: true });
    writeFileSync(join(runc, 'go.mod'), 'module github.com/opencontainers/runc\n');
  });

  it.each([
    ['list', 'exit-one', 'runtime=BUILD'],
    ['run', 'exit-one', 'runtime=BUILD', '--dry-run'],
    ['run', 'exit-one', 'runtime=BUILD', '--investigate', '--dry-run'],
    ['gate', 'exit-one', 'runtime=BUILD', '--for', 'runc', '--dry-run'],
    ['repro', 'runc-init-too-large', '--affected', 'runtime=BUILD', '--dry-run'],
    ['difference', 'default/exit-one', 'ADDRESS/exit-one', '--dry-run'],
    ['up', 'runtime=BUILD', '--dry-run'],
  ])('may be typed as a word of %s %s %s', async (...words) => {
    const build = `runc@git:${runc}`;
    const typed = words.map((word) =>
      word.replace('BUILD', build).replace('ADDRESS', build.replaceAll('/', '%2F')),
    );
    const { signal } = new AbortController();
    await expect(runCommandLine({ ...context, signal }, typed)).resolves.toBe(0);
  });
});
