import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '../../../../lab/commands/context/context.ts';
import { reportRun } from '../../../../lab/report/markdown/render-github.ts';
import { reportToGithub } from '../../../../lab/commands/output/report-to-github.ts';
import { CI_ATTACKS, commandsIn } from '../../model/text/ci-runners.ts';
import { PROJECT } from '../../project-files.ts';
import { createRun } from '../../report/made-run.ts';

const ATTACK = Object.values(CI_ATTACKS).join('\n');

describe('what a verb prints', () => {
  let out: string;
  let err: string;
  beforeEach(() => {
    [out, err] = ['', ''];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '');
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== '');
  });
  afterEach(() => void vi.restoreAllMocks());
  const open = (env = {}): ReturnType<typeof createContext> =>
    createContext(new AbortController().signal, { CI: 'true', ...env });

  it('is no command of a CI system, as text, page and JSON', () => {
    const context = open();
    context.print(ATTACK);
    context.printPage(ATTACK);
    context.printTable(ATTACK);
    context.printJson([ATTACK]);
    expect(commandsIn(out)).toEqual([]);
    expect(out).toContain('(##\\[set-output name=deploy]yes)');
  });

  it.each([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ NO_COLOR: '1' }, false],
  ])('has colours in a pipe only where they are wanted: %j', (env, isWanted) => {
    const context = open(env);
    const strange = 'note      \u001b[31mred\u001b[0m';
    context.printPage(`default/plain-exit: failed\n${strange}`);
    context.printTable(`default/plain-exit: failed\n${strange}`);
    context.printJson(['default/plain-exit: failed', strange]);
    context.print('default/plain-exit: failed');
    expect(out.split('\u001b[31mfailed\u001b[39m')).toHaveLength(isWanted ? 3 : 1);
    expect(out).not.toContain('\u001b[31mred');
  });

  it('is none as progress: notes, titles, details, scopes, with colours or without', async () => {
    for (const env of [{}, { FORCE_COLOR: '1' }]) {
      const { progress } = open(env);
      progress.note(ATTACK);
      for (const attack of Object.values(CI_ATTACKS)) {
        const work = (update: (detail: string) => void): Promise<void> => {
          update(attack);
          progress.note(attack);
          return progress.step(attack, () => Promise.resolve());
        };
        await progress.step(attack, work, { scope: attack });
      }
    }
    expect(commandsIn(err)).toEqual([]);
  });

  it('is one only where GitHub Actions is told of cells that did not pass', () => {
    const hostile = createRun({ passed: {}, failed: { note: ATTACK }, inconclusive: { note: ATTACK } });
    const { progress, github } = open({ GITHUB_ACTIONS: 'true' });
    reportToGithub({ github, progress }, () => reportRun(hostile));
    expect(commandsIn(err).map((line) => line.split(' ')[0])).toEqual(['::error', '::warning']);
    for (const line of err.trimEnd().split('\n')) {
      const data = line.slice(line.indexOf('::', 2) + 2).replaceAll('%0A', '\n');
      expect(data).toContain('##\\[set-output');
      expect(commandsIn(data)).toEqual([]);
    }
  });
});

describe('the code', () => {
  it('writes to standard output and standard error only at doors that disarm', () => {
    const files = readdirSync(join(PROJECT, 'lab'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `lab/${file}`);
    const writers = files.filter((file) =>
      /process\.std(?:out|err)\.write|console\.\w+\(/.test(readFileSync(join(PROJECT, file), 'utf8')),
    );
    expect(writers.sort()).toEqual([
      'lab/cli.ts',
      'lab/commands/context/context.ts',
      'lab/drivers/progress/progress-display.ts',
    ]);
  });
});
