import { JSON_FLAG, type Verb } from './verb.ts';

/** Verbs that answer a question about the project or the state folder, or write a file to begin with. */
export const ASKING_VERBS: readonly Verb[] = [
  {
    name: 'status',
    about: 'show which worlds are up or saved, which lab is at work, and the disk that it takes',
    flags: JSON_FLAG,
    examples: ['npx whodunit status', 'npx whodunit status --json'],
    load: async () => (await import('../verbs/status.ts')).runStatus,
  },
  {
    name: 'runs',
    about: 'list the saved runs: id, date, verdicts, and what selected their cells',
    flags: JSON_FLAG,
    details: 'Every verb that takes the id of a run takes the beginning of exactly one id, and latest.',
    examples: ['npx whodunit runs', 'npx whodunit runs --json'],
    load: async () => (await import('../verbs/runs.ts')).runRuns,
  },
  {
    name: 'scenarios',
    words: '[name...]',
    about: 'list the scenarios: what happens, and who must have killed',
    flags: JSON_FLAG,
    details: 'A name may be a glob. Without one: all of them.',
    examples: ["npx whodunit scenarios 'oom-*'", 'npx whodunit scenarios --json'],
    load: async () => (await import('../verbs/scenarios.ts')).runScenarios,
  },
  {
    name: 'killers',
    about: 'list everybody whom a verdict can name, with their ways',
    flags: JSON_FLAG,
    examples: ['npx whodunit killers', 'npx whodunit killers --json'],
    load: async () => (await import('../verbs/killers.ts')).runKillers,
  },
  {
    name: 'explain',
    words: '<word>',
    about: 'say what an axis, rule, killer, field, error code or any other name means',
    flags: JSON_FLAG,
    details: `A word is the name of an axis, a rule or note of matrix.yaml, a set, a killer or a way of it, a measure, a
stimulus, a scenario, a parameter, a bug, an error code, or a field of a file or of JSON that is printed.`,
    examples: [
      'npx whodunit explain cgroup',
      'npx whodunit explain memcg-oom',
      'npx whodunit explain withinSeconds',
      'npx whodunit explain LAB_BUSY',
    ],
    load: async () => (await import('../verbs/explain.ts')).runExplain,
  },
  {
    name: 'new',
    words: '<kind> <name>',
    about: 'write a scenario or a bug that passes every check, to be changed',
    flags: JSON_FLAG,
    details: 'A kind is scenario or bug. A bug comes with the scenario that tells its two sides apart.',
    examples: ['npx whodunit new scenario my-scenario', 'npx whodunit new bug my-bug'],
    load: async () => (await import('../verbs/new.ts')).runNew,
  },
  {
    name: 'completion',
    words: '<shell>',
    about: 'print a script that completes verbs, flags, selectors, runs and bugs in bash, zsh or fish',
    flags: {},
    details: `It completes the command whodunit: that of \`npm install --global\`, or an alias of \`npx whodunit\` with this name.
In bash: eval "$(npx whodunit completion bash)". The scripts for zsh and fish say where they belong.`,
    examples: ['npx whodunit completion bash', 'npx whodunit completion fish'],
    load: async () => (await import('../verbs/completion.ts')).runCompletion,
  },
];
