import type { Verb } from './verb.ts';

/** The verb that the scripts of `completion` call; no help shows it. */
export const COMPLETE_VERB: Verb = {
  name: 'complete',
  words: '<line>',
  about: 'print what could complete a command line',
  flags: {},
  examples: ["npx whodunit complete 'whodunit run oom'"],
  load: async () => (await import('./complete.ts')).runComplete,
};
