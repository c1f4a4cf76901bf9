import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROJECT, runCli, runProgram } from '../support/run-cli.ts';

interface Workflow {
  readonly jobs: {
    readonly slice: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] };
  };
}

const { jobs } = parse(readFileSync(join(PROJECT, '.github/workflows/nightly.yml'), 'utf8')) as Workflow;
const script = jobs.slice.steps.find(({ name }) => name === 'Choose the slice')?.run ?? '';
const DAY_SECONDS = 86_400;

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'whodunit-nightly-'))));
afterEach(() => rmSync(home, { recursive: true }));

/** What the workflow gives to the action at this time, or for a slice that somebody typed. */
async function chooseWords(seconds: number, slice = ''): Promise<string> {
  const variables = join(home, 'env');
  writeFileSync(variables, '');
  writeFileSync(join(home, 'date'), `#!/bin/sh\necho ${seconds}\n`, { mode: 0o755 });
  const env = { GITHUB_ENV: variables, SLICE: slice, PATH: `${home}:${process.env.PATH ?? ''}` };
  const ended = await runProgram(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    env,
    home,
  );
  expect(ended).toEqual({ status: 0, stdout: '', stderr: '' });
  return readFileSync(variables, 'utf8')
    .trim()
    .replace(/^WORDS=/, '');
}

it('takes the next slice each night, and the first one again after the last', async () => {
  const now = 20_000 * DAY_SECONDS;
  const words: string[] = [];
  for (let night = 0; night < 32; night++) words.push(await chooseWords(now + night * DAY_SECONDS));
  expect(new Set(words.slice(0, 31)).size).toBe(31);
  expect(words[31]).toBe(words[0]);
});

it('plans the slice that somebody typed', async () => {
  const words = await chooseWords(0, '7');
  expect(words).toBe('run set=full --pairwise --shard 7/31');
  const { status, stdout } = await runCli(home, [...words.split(' '), '--dry-run']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\d+ cells, \d+ worlds?, /m);
});
