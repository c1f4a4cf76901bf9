import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../../../lab/commands/line/command-line.ts';
import { VERBS } from '../../../../lab/commands/line/verbs.ts';
import { PROJECT, readProjectText } from '../../project-files.ts';

/**
 * Every command that the code offers, as what to try, as what comes next or in a sentence: it is one of ours, with flags
 * that it has and as many words as it takes. test/cli/lines/odd-lines.test.ts runs those that wrong words are answered with.
 */

const ROOMS = ['lab', 'bin', 'provision', 'stacks'];

/** What stands for an expression in a template, by its text. The first that fits is taken. */
const STAND_INS: readonly (readonly [RegExp, string])[] = [
  [/verb === undefined/, ' list'],
  [/^spelled$/, 'report.md'],
  [/^world$/, 'default'],
  [/^flag === undefined \? 'WHODUNIT_PROJECT' : '--project'$/, 'WHODUNIT_PROJECT'],
  [/^pod$/, 'web-0'],
  [/^found\.id$/, 'latest'],
  [/^other$/, '; the newest one is latest'],
  [/^known\.id$/, 'driver-mismatch-kill-loop'],
  [/^words\.join/, 'test/fixtures/evidence/oom-single-container'],
  [/\.length$|^shard/, '8'],
  [/engine/i, 'slurm'],
  [/^action$/, 'list'],
  [/^(shellWord\()?(file|plan)\)?$|planFile/, 'plan.json'],
  [/^shellWord\(path\)$/, 'baseline.json'],
  [/^(shellWord\()?link\)?$/, 'https://github.com/example/project/issues/1'],
  [/my-bug/, 'bug my-bug'],
  [/^links\[0\]/, 'https://github.com/example/project/issues/1'],
  [/cells\.length === 0 \?/, "list '*'"],
  [/^(verb|later)\.name$/, 'list'],
  [/^more\b/, '--json'],
  [/empty/, 'WHODUNIT_HOME'],
  [/^path$|^flags\.record$/, 'base.json'],
  [/^program$|^found$/, 'runc'],
  [/^prefix$/, 'runtime=runc@file:'],
  [/^(shellWord\()?word\)?$/, 'default/plain-exit'],
  [/words\[0\]/, 'html'],
  [/bug|^id$|^first\.id$/, 'driver-mismatch-kill-loop'],
  [/address|scenario/i, 'default/plain-exit'],
  [/run\b|\bafter\b|\bbegun\b/i, 'latest'],
  [/replay/, 'run/replay.yaml'],
  [/freeName/, 'run-2.tar.gz'],
  [/folder|dir\b/i, 'test/fixtures/evidence/oom-single-container'],
  [/\((green|red|good|bad)\)$/, '1.7.27'],
  [/^search$/, '20260101-0000'],
  [/^what\.join/, 'killer'],
  [/^axis$/, 'containerd'],
  [/killers/, 'memcg-oom'],
  [/name/, 'default'],
  [/worlds/, 'default'],
];

/** Expressions that are whole commands, each tested where it is made. */
const WHOLE = [
  /^command$/,
  /^command\.join/,
  /^next$/,
  /^next(Verb|Command)\(/,
  /reproCommand/,
  /^maker$/,
  /^nextAfter/,
  /^nextOf\(/,
];

interface Offer {
  readonly file: string;
  readonly line: string;
}

/** The texts of the code that have a command in them, with a stand-in for each expression; undefined for a whole one. */
function listTexts(): Offer[] {
  const found: Offer[] = [];
  for (const file of listFiles()) {
    const source = ts.createSourceFile(file, readProjectText(file), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
        const line = fill(node, file);
        if (line?.includes('npx whodunit ') === true) found.push({ file, line });
        return;
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function listFiles(): string[] {
  return ROOMS.flatMap((room) =>
    readdirSync(join(PROJECT, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.m?[jt]s$/.test(file) && !file.includes('browser'))
      .map((file) => `${room}/${file}`),
  );
}

function fill(node: ts.StringLiteralLike | ts.TemplateExpression, file: string): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!node.getText().includes('npx whodunit ')) return undefined;
  let text = node.head.text;
  for (const { expression, literal } of node.templateSpans) {
    const written = expression.getText();
    // What is far behind a command or before it is no part of one.
    const isInCommand = /npx whodunit [^`\n]*$/.test(text);
    if (isInCommand && WHOLE.some((whole) => whole.test(written))) return undefined;
    const isVerb = text.endsWith('npx whodunit help ');
    const word = isVerb ? 'list' : STAND_INS.find(([known]) => known.test(written))?.[1];
    if (isInCommand && word === undefined)
      throw new Error(`${file}: what does \${${written}} stand for? Add it to the table of this test.`);
    text += `${word ?? 'some'}${literal.text}`;
  }
  return text;
}

/** The commands of a text: up to a backtick, or to what is behind two blanks, a comma, a bracket or a semicolon. */
function listCommands(text: string): string[] {
  return [...text.matchAll(/npx whodunit ([^`\n]*)/g)].flatMap(([, rest = '']) => {
    const [line = ''] = rest.split(
      / {2,}|, |; | \(|\)|"$|<\/| for | says | lists | saves | shows | brings | checks | makes | starts | in a /,
    );
    return line.includes('…') ? [] : [line.trim().replace(/[.,;]$/, '')];
  });
}

function splitWords(line: string): string[] {
  const own = line
    .replace('<axis>', 'cgroup')
    .replace('<red address>', 'default/plain-exit')
    .replace('<green address>', 'v1/plain-exit')
    .replace('<link of the report>', 'https://github.com/a/b/issues/1')
    .replace('<verb>', 'list')
    .replace('<variant>', 'v1');
  return (own.match(/'[^']*'|[^\s']+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

/** Reads a command line without running its verb. */
async function parse(words: readonly string[]): Promise<string | undefined> {
  let verb: string | undefined;
  const program = buildProgram({ print: () => undefined }, async ({ name }) => {
    verb = name;
  });
  await program.parseAsync([...words], { from: 'user' });
  return verb;
}

const texts = listTexts();
const offers = texts.flatMap(({ file, line }) => listCommands(line).map((command) => ({ file, command })));
const commands = [...new Set(offers.map(({ command }) => command))];

describe('a command that the code offers', () => {
  it('is found in all rooms', () => {
    const rooms = new Set(offers.map(({ file }) => file.split('/')[0]));
    expect([...rooms].sort()).toEqual(['lab', 'provision']);
    expect(commands.length).toBeGreaterThan(80);
    for (const known of ['history default/plain-exit', 'help up', 'runs', 'doctor --fix', "history '*'"])
      expect(commands).toContain(known);
  });

  it.each(commands)('is one of ours, with words and flags that it takes: npx whodunit %s', async (line) => {
    const words = splitWords(line);
    const [name = '', ...more] = words;
    if (name === 'help') {
      for (const word of more) expect([...VERBS.map((verb) => verb.name), '--all']).toContain(word);
      return;
    }
    const verb = VERBS.find((known) => known.name === name);
    // A verb that needs words, without any: the text speaks of the verb.
    if (more.length === 0 && verb?.words?.startsWith('<') === true) return;
    expect(await parse(words)).toBe(name);
  });
});

describe('what to try', () => {
  it('names no folder that may be elsewhere, and no run that may not be there', () => {
    const wrong = listFiles()
      .filter((file) => file.startsWith('lab/'))
      .flatMap((file) =>
        [...readProjectText(file).matchAll(/tryNext:?\s*[^\n]*(?:\.lab\/|name a run)/g)].map(
          ([line]) => `${file}: ${line}`,
        ),
      );
    expect(wrong).toEqual([]);
  });
});
