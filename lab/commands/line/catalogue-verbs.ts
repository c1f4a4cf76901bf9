import { JSON_FLAG, LIST_FLAGS, type Verb } from './verb.ts';

/** The verbs that list, explain and create what a project declares: scenarios, killers and bugs. */
export const CATALOGUE_VERBS: readonly Verb[] = [
  {
    name: 'scenarios',
    words: '[name-or-word...]',
    about: 'list the scenarios: what happens, and which killer must be found',
    flags: LIST_FLAGS,
    details: `A name may be a glob. Other words are searched for in titles, tags, killers and parameters; best matches come
first. Without words: all scenarios.`,
    answers: ['scenarios'],
    examples: [
      "npx whodunit scenarios 'oom-*'",
      'npx whodunit scenarios cron',
      'npx whodunit scenarios --json',
    ],
    load: async () => (await import('../verbs/scenarios.ts')).runScenarios,
  },
  {
    name: 'killers',
    words: '[word...]',
    about: 'list every killer that a verdict can name, and how it kills',
    flags: LIST_FLAGS,
    details: 'Words are searched for in names, ways, proofs and advice; best matches come first.',
    answers: ['killers'],
    examples: ['npx whodunit killers', 'npx whodunit killers probe', 'npx whodunit killers --json'],
    load: async () => (await import('../verbs/killers.ts')).runKillers,
  },
  {
    name: 'bugs',
    words: '[word...]',
    about: 'list the reported bugs that can be reproduced, and where each was reported',
    flags: LIST_FLAGS,
    details: `Words are searched for in ids, titles, links, axes, tags and killers; best matches come first. Similar bugs, scenarios,
killers and pages follow, each with the reason. A word may be the link of a report.`,
    answers: ['bugs'],
    examples: ['npx whodunit bugs', 'npx whodunit bugs memory oom', 'npx whodunit bugs --json'],
    load: async () => (await import('../verbs/bugs.ts')).runBugs,
  },
  {
    name: 'explain',
    words: '<word...>',
    about: 'explain an axis, rule, killer, field, error code or any other name',
    flags: JSON_FLAG,
    details: `A word is the name of an axis, a rule or note of matrix.yaml, a set, a killer or one of its ways to kill, a measure, a
stimulus, a scenario, a parameter, a bug, an error code, an exit code, a signal, a reason of Kubernetes, a file of
evidence, or a format or a field of it. Other words are searched for in all of these.`,
    answers: ['explain'],
    examples: [
      'npx whodunit explain cgroup',
      'npx whodunit explain memcg-oom',
      'npx whodunit explain withinSeconds',
      'npx whodunit explain 137',
      'npx whodunit explain LAB_BUSY',
    ],
    load: async () => (await import('../verbs/explain.ts')).runExplain,
  },
  {
    name: 'init',
    words: '[folder]',
    about: 'create a project of your own in a folder, with a first scenario that passes',
    flags: JSON_FLAG,
    details: `Commands find the project in the working directory or in the nearest folder above it. --project and WHODUNIT_PROJECT name
another one. Your scenarios, bugs, axis values, sets and rules are added to those of whodunit.`,
    answers: ['init'],
    examples: ['npx whodunit init', 'npx whodunit init my-tests'],
    load: async () => (await import('../verbs/init.ts')).runInit,
  },
  {
    name: 'new',
    words: '<kind> <name> [link]',
    about: 'create a scenario or a bug to start from; it passes every check',
    flags: JSON_FLAG,
    details: `The kind is scenario or bug. A new bug comes with a scenario that distinguishes its two sides. The link of a
report is filled in. If no name is given, the bug is named after its link.`,
    answers: ['new'],
    examples: [
      'npx whodunit new scenario my-scenario',
      'npx whodunit new bug my-bug',
      'npx whodunit new bug https://github.com/kubernetes/kubernetes/issues/138760',
    ],
    load: async () => (await import('../verbs/new.ts')).runNew,
  },
];
