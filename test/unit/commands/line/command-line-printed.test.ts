import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runCommandLine } from '../../../../lab/commands/line/command-line.ts';
import { loadConfig } from '../../../../lab/commands/setup/config.ts';
import { createContext, type Context } from '../../../../lab/commands/context/context.ts';
import type { Flags } from '../../../../lab/commands/context/flags.ts';
import { getRecipe } from '../../../../lab/commands/setup/get-recipe.ts';
import { VERBS } from '../../../../lab/commands/line/verbs.ts';
import { PROJECT, readProjectText } from '../../project-files.ts';

/** Every command line of the docs and of the help is run here or, where it would start machines, planned. */

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SUPPORT.md',
  'SECURITY.md',
  ...['docs', 'docs/measured'].flatMap((folder) =>
    readdirSync(join(PROJECT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
  ...readdirSync(join(PROJECT, '.github/ISSUE_TEMPLATE')).map((name) => `.github/ISSUE_TEMPLATE/${name}`),
];

/** What stands for something else in a page. */
const STAND_INS: Readonly<Record<string, string>> = {
  '<verb>': 'list',
  '<address>': 'default/plain-exit',
  '<run or address>': 'latest',
  '<run>': 'latest',
  '<run-id>': 'latest',
  '<variant>': 'v1',
  '<id>': 'driver-mismatch-kill-loop',
  'bug=<id>': 'bug=driver-mismatch-kill-loop',
  '<bug>': 'driver-mismatch-kill-loop',
  '<folder>': 'test/fixtures/evidence/oom-single-container',
  '<word>': 'cgroup',
  '<good run>': 'latest',
  '<bad run>': 'latest',
  $slice: '3',
  'my-scenario': 'oom-single-container',
};

/** Verbs that are run as they are: they answer from files, and change none. */
const RUN = [
  'list',
  'bugs',
  'help',
  'scenarios',
  'killers',
  'explain',
  'status',
  'runs',
  'completion',
  '--version',
];
/** Verbs that are run with --dry-run. */
const PLANNED = ['run', 'repro'];
/** Verbs that bring up or build a variant. */
const BUILT = ['up', 'bake'];

/** Commands of a text: in backticks up to the next one, in a block of code up to a comment or the end of the line. */
function listCommands(text: string): string[] {
  const found = text.matchAll(/(`?)(?:\$ )?\bnpx whodunit ((?:[^`\n#]|\n(?=[^\n`]*`))+)/g);
  return [...found].map(([, tick, line = '']) => (tick === '' ? line.replace(/ {3,}.*/, '') : line).trim());
}

function splitWords(line: string): string[] {
  const own = line.replace(/ > \S+$/, ''); // what the shell takes
  const filled = Object.entries(STAND_INS).reduce((text, [name, word]) => text.replaceAll(name, word), own);
  return (filled.match(/'[^']*'|[^\s']+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
}

const ofPages = PAGES.flatMap((page) => listCommands(readProjectText(page)));
const ofHelp = VERBS.flatMap(({ examples }) => examples.flatMap(listCommands));
// A line with … stands for several.
const commands = [...new Set([...ofPages, ...ofHelp])].filter((line) => !line.includes('…'));

let home: string;
let context: Context;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-printed-'));
  context = {
    ...createContext(AbortSignal.abort(), { WHODUNIT_HOME: join(home, 'state') }),
    run: () => Promise.reject(new Error('no program is to be started')),
    download: () => Promise.reject(new Error('nothing is to be downloaded')),
    print: () => undefined,
    printPage: () => undefined,
    printTable: () => undefined,
    printJson: () => undefined,
  };
});
afterAll(() => {
  const isLeft = existsSync(join(home, 'state'));
  rmSync(home, { recursive: true });
  expect(isLeft).toBe(false);
});

/** Reads a command line without running its verb. */
async function parse(
  words: readonly string[],
): Promise<{ verb: string; given: readonly string[]; flags: Flags }> {
  let parsed: { verb: string; given: readonly string[]; flags: Flags } | undefined;
  const program = buildProgram(context, async ({ name }, given, flags) => {
    parsed = { verb: name, given, flags };
  });
  await program.parseAsync([...words], { from: 'user' });
  if (parsed === undefined) throw new Error('no verb was called');
  return parsed;
}

describe('a printed command', () => {
  it('is found in every page and help that has one', () => {
    expect(commands.length).toBeGreaterThan(80);
    expect(commands).toContain(
      "list 'os=*' 'kubernetes=*' 'kernel=*' 'cgroup=*' 'drivers=*' plain-exit --pairwise",
    );
    expect(commands).toContain('kubectl get pods -A');
  });

  it.each(commands)('works: npx whodunit %s', async (line) => {
    const words = splitWords(line);
    const [name = ''] = words;
    // A verb that needs words, alone: the text speaks of the verb.
    if (words.length === 1 && VERBS.find((verb) => verb.name === name)?.words?.startsWith('<') === true)
      return;
    // It is a scenario of the project that `init` makes.
    if (line.includes('first-death')) return;
    if (RUN.includes(name) || (name === 'judge' && existsSync(join(PROJECT, words[1] ?? '')))) {
      expect(await runCommandLine(context, words)).toBe(0);
      return;
    }
    const { verb, given, flags } = await parse(words);
    expect(given.join(' ')).not.toMatch(/<|>/);
    // A plan is made by a command before, and a build of one's own is not here.
    const isOfOthers = flags.plan !== undefined || /@(file:\.\/out|git:\.\.)\//.test(line);
    const isPlanned = flags.lastFailed !== true && flags.resume !== true && !isOfOthers;
    if (PLANNED.includes(verb) && !given.join().endsWith('replay.yaml') && isPlanned)
      // For git a commit of which only a plan was made is one that is skipped.
      expect(await runCommandLine(context, [...words, '--dry-run'])).toBe(
        flags.exitFor === undefined ? 0 : 125,
      );
    if (BUILT.includes(verb)) expect(getRecipe(context, loadConfig(context), given).name).not.toBe('');
    // The cell has to be one that there can be.
    if (verb === 'why' && given[0] !== 'latest')
      expect(await runCommandLine(context, ['list', ...given])).toBe(0);
  });
});
