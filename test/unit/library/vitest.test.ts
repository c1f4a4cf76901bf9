import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandResult } from '../../../lab/model/host/host.ts';

/** What the stand-in for the program answers to `run` and to `why`, and the words that it was called with. */
const program: { answers: Record<string, unknown>; called: string[][] } = vi.hoisted(() => ({
  answers: {},
  called: [],
}));

vi.mock('../../../lab/commands/context/context.ts', () => ({
  createContext: () => ({
    run: (_: string, words: readonly string[]): Promise<unknown> => {
      program.called.push([...words]);
      return Promise.resolve(program.answers[words[1] ?? '']);
    },
  }),
}));

const { runCell } = await import('../../../lab/library/vitest.ts');

const ended = (status: number, stdout: string, stderr = ''): Partial<CommandResult> => ({
  status,
  stdout,
  stderr,
});

const ADDRESS = 'default/first-death';
const RUN = JSON.stringify({ run: '20261129-101010-abcd', exitCode: 1 });
const WHY = `${ADDRESS}: failed

killer    memcg-oom (group-kill) at pod level, proven
chain     kernel OOM kill of pid 1735   node-1/kernel.log:12
`;

beforeEach(() => {
  program.answers = {};
  program.called = [];
});

/** The text of the test that runs a cell; undefined when it passes. */
const failureOf = async (answers: Record<string, unknown>): Promise<string | undefined> => {
  program.answers = answers;
  return runCell({ address: ADDRESS }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
};

describe('a cell as a test', () => {
  it.each<[what: string, answers: Record<string, unknown>, text: string | undefined]>([
    ['passes without a word where the cell passed', { run: ended(0, RUN) }, undefined],
    ['fails with verdict and chain where it failed', { run: ended(1, RUN), why: ended(1, WHY) }, WHY],
    ['fails with them where nothing was decided', { run: ended(3, RUN), why: ended(3, WHY) }, WHY],
    [
      'fails with the error where no run began',
      { run: ended(2, '{"error":{"code":"LAB_USAGE"}}', 'error LAB_USAGE: no cell\n') },
      'error LAB_USAGE: no cell\n',
    ],
    ['fails with the error where nothing was printed', { run: ended(70, '', 'a bug\n') }, 'a bug\n'],
    [
      'fails with the error where the run has no such cell',
      { run: ended(3, RUN, 'interrupted\n'), why: ended(2, '', 'no such cell\n') },
      'interrupted\n',
    ],
    [
      'fails with the error where the answer was cut off',
      { run: ended(70, '{"run": "2026', 'error LAB_INTERNAL: it ended\n') },
      'error LAB_INTERNAL: it ended\n',
    ],
  ])('%s', async (_, answers, text) => {
    expect(await failureOf(answers)).toBe(text);
  });

  it('asks why of the run that it began, and of no other', async () => {
    await failureOf({ run: ended(1, RUN), why: ended(1, WHY) });
    expect(
      program.called.map(([path = '', ...words]) => [path.endsWith(join('bin', 'whodunit.mjs')), words]),
    ).toEqual([
      [true, ['run', ADDRESS, '--json']],
      [true, ['why', ADDRESS, '--run', '20261129-101010-abcd']],
    ]);
  });
});
