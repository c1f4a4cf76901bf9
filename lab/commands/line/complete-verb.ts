import type { Verb } from './verb.ts';

/** What the scripts of `completion` call. */
export const COMPLETE: Verb = {
  name: 'complete',
  words: '<line>',
  about: 'print what could complete a command line',
  flags: {},
  examples: ["npx whodunit complete 'whodunit run oom'"],
  load: async () => (await import('./complete.ts')).runComplete,
};
