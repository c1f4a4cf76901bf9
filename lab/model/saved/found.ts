import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';

/** What a search can find. */
const SEARCH_KINDS = {
  bug: 'a reported bug, for `whodunit repro`',
  scenario: 'a scenario, for `whodunit run`',
  killer: 'a killer, for `whodunit explain`',
  page: 'a part of a page in docs/',
} as const;

/** One thing that is near to what was asked for. */
export const foundSchema = z.strictObject({
  kind: oneOf(SEARCH_KINDS, 'What it is'),
  name: z.string().describe('Its name, or the page and its heading.'),
  title: z.string().describe('What it is about.'),
  why: z.string().describe('One reason why it is near.'),
});

export type SearchKind = keyof typeof SEARCH_KINDS;
export type Found = z.infer<typeof foundSchema>;
