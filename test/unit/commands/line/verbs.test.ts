import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext, type Context } from '../../../../lab/commands/context/context.ts';
import { runCommandLine } from '../../../../lab/commands/line/command-line.ts';
import { LIST_KINDS } from '../../../../lab/commands/line/list-kinds.ts';
import { findSynonym, FIRST_VERBS, VERB_GROUPS, VERBS } from '../../../../lab/commands/line/verbs.ts';

let home: string;
let context: Context;
let printed = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-verbs-'));
  context = {
    ...createContext(AbortSignal.abort(), { WHODUNIT_HOME: join(home, 'state') }),
    print: (text) => (printed += text),
    printPage: (text) => (printed += text),
    printTable: (text) => (printed += text),
    printJson: (value) => (printed += JSON.stringify(value)),
  };
});
afterAll(() => {
  const left = readdirSync(home);
  rmSync(home, { recursive: true });
  expect(left).toEqual([]);
});

async function answer(...words: string[]): Promise<string> {
  printed = '';
  expect(await runCommandLine(context, words)).toBe(0);
  return printed;
}

describe('the help', () => {
  const verbsOf = (help: string): string[] =>
    [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb = '']) => verb).filter((verb) => verb !== 'help');

  it('shows eight verbs at first, and all of them by job when asked', async () => {
    const first = verbsOf((await answer('help')).split('A scenario is')[0] ?? '');
    expect(first).toHaveLength(8);
    expect(new Set(first)).toEqual(FIRST_VERBS);
    for (const words of [
      ['help', '--all'],
      ['--help', '--all'],
    ]) {
      const all = (await answer(...words)).split('A scenario is')[0] ?? '';
      expect(verbsOf(all)).toEqual(VERBS.map(({ name }) => name));
      for (const job of Object.keys(VERB_GROUPS)) expect(all).toContain(`${job}:`);
    }
  });

  it.each(VERBS.map(({ name }) => name))(
    'of %s wraps its paragraphs, and has no wide table',
    async (verb) => {
      const lines = (await answer('help', verb)).split('\n');
      const paragraphs = lines.filter((line) => !line.startsWith(' '));
      expect(paragraphs.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.filter((line) => line.length > 130)).toEqual([]);
    },
  );

  it('has each verb under one job', () => {
    expect(new Set(VERBS.map(({ name }) => name)).size).toBe(VERBS.length);
    for (const name of FIRST_VERBS) expect(VERBS.map((verb) => verb.name)).toContain(name);
  });

  it.each([
    ['show', 'why'],
    ['test', 'run'],
    ['ls', 'list'],
    ['describe', 'explain'],
    ['clean', 'gc'],
  ])('names for %j, a word of other tools, %j', async (word, verb) => {
    expect(findSynonym(word)).toBe(verb);
    await expect(answer(word)).rejects.toThrow(`unknown command "${word}" (did you mean "${verb}"?)`);
  });

  it('takes no verb for a synonym of another', () => {
    for (const { name } of VERBS) expect(findSynonym(name), name).toBeUndefined();
  });
});

describe('list', () => {
  it.each(Object.entries(LIST_KINDS).filter(([kind]) => kind !== 'cells'))(
    '%s prints the bytes of its verb',
    async (kind, { verb }) => {
      for (const flags of [[], ['--json']])
        expect(await answer('list', kind, ...flags)).toBe(await answer(verb, ...flags));
    },
  );

  it('cells goes on with selectors, as list without a kind', async () => {
    const before = await answer('list', 'plain-exit', 'cgroup=v1,v2');
    expect(await answer('list', 'cells', 'plain-exit', 'cgroup=v1,v2')).toBe(before);
  });

  it('takes a kind for a selector after the first word', async () => {
    await expect(answer('list', 'cells', 'runs')).rejects.toThrow('"runs" matches no cell');
    await expect(answer('list', 'scenario=bugs')).rejects.toThrow('there is no scenario "bugs"');
  });

  it.each([
    [['list', 'bugs', '--seed', '5'], '--seed is not used here: it is about cells'],
    [['list', 'worlds', 'v1'], 'list worlds takes no words, and got "v1"'],
  ])('refuses %j', async (words, message) => {
    await expect(answer(...words)).rejects.toThrow(message);
  });
});

describe('words', () => {
  it.each([
    [['bugs', 'memory', 'oom'], /^memory-volume-outlives-oom /],
    [['bugs', 'https://github.com/kubernetes/kubernetes/issues/131567'], /131567/],
    [['bugs', 'cgroup=v1'], /cgroup=v1|v1/],
    [['list', 'bugs', 'tini'], /tini/],
    [['scenarios', 'cron'], /^cron-job-/],
    [['scenarios', 'CronJob', 'limit'], /cron/],
    [['scenarios', 'oom-*'], /^oom-/],
    [['killers', 'probe'], /liveness-probe/],
    [['runs', 'failed'], /^no saved runs yet/],
  ])('find: %j', async (words, found) => {
    expect(await answer(...words)).toMatch(found);
  });

  it.each([
    [['scenarios', 'plain-exits'], /no scenario has "plain-exits" \(did you mean "plain-exit"\?\)/],
    [['killers', 'zzz'], /no killer has "zzz"/],
  ])('that find nothing say what is near and what lists all: %j', async (words, message) => {
    await expect(answer(...words)).rejects.toThrow(message);
    await expect(answer(...words)).rejects.toMatchObject({ tryNext: `npx whodunit ${words[0]}` });
  });
});

describe('explain', () => {
  it.each([
    ['OOMKilled', 'reason'],
    ['oomkilled', 'reason'],
    ['137', 'exit code of a container'],
    ['143', 'exit code of a container'],
    ['3', 'exit code of whodunit'],
    ['SIGKILL', 'signal'],
    ['proven', 'confidence'],
    ['likely', 'confidence'],
    ['doubt', 'confidence'],
    ['witness', 'word'],
    ['memory.oom.group', 'file of the kernel'],
    ['set=full', 'set'],
    ['cgroup=v1', 'axis'],
    ['scenario=plain-exit', 'scenario'],
    ['world', 'word'],
    ['cell', 'word'],
    ['variant', 'word'],
    ['kmsg.log', 'file of evidence'],
    ['run-result', 'format'],
    ['LAB_CONFIG', 'error, exit code 2'],
    ['memcg-oom', 'killer'],
    ['cgroup', 'axis'],
  ])('says what %j is: %s', async (word, kind) => {
    const { entries } = JSON.parse(await answer('explain', word, '--json')) as {
      entries: { kind: string }[];
    };
    expect(entries.map((entry) => entry.kind)).toContain(kind);
  });

  it('finds what has the words where nothing is called so', async () => {
    expect(await answer('explain', 'pod', 'limit')).toContain('limit');
    await expect(answer('explain', 'frobnicate')).rejects.toThrow(/^nothing is called "frobnicate"$/);
    await expect(answer('explain', 'memcg-om')).rejects.toThrow('did you mean "memcg-oom"?');
  });

  it('knows what no project declares while a file of the project is broken', async () => {
    const broken = { ...context, projectDir: join(home, 'nowhere') };
    expect(existsSync(broken.projectDir)).toBe(false);
    expect(await runCommandLine(broken, ['explain', 'LAB_CONFIG'])).toBe(0);
    await expect(runCommandLine(broken, ['explain', 'zebra'])).rejects.toMatchObject({
      code: 'LAB_CONFIG',
    });
  });
});
