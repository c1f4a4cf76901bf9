import { expect } from 'vitest';
import { bisectSchema, type BisectResult } from '../../../lab/model/saved/search.ts';
import { runCli } from './run-cli.ts';

/** Asks `bisect`, with a state folder of its own, and reads its answer. */
export async function askBisect(
  state: string,
  ...words: string[]
): Promise<{ readonly status: number; readonly answer: BisectResult }> {
  const { status, stdout, stderr } = await runCli(state, ['bisect', ...words, '--json']);
  expect(stderr).toBe('');
  return { status, answer: bisectSchema.parse(JSON.parse(stdout)) };
}

/** What is left of an answer when the id of the search is. */
export function withoutSearchId({ search, ...answer }: BisectResult): Omit<BisectResult, 'search'> {
  expect(search).toBeDefined();
  return answer;
}
