import { AUTOPSY_VERB } from './autopsy-verb.ts';
import { CASE_VERB } from './case-verb.ts';
import { CATALOGUE_VERBS } from './catalogue-verbs.ts';
import { CLUSTER_VERBS } from './cluster-verbs.ts';
import { GATE_VERB } from './gate-verb.ts';
import { HOST_VERBS } from './host-verbs.ts';
import { PROVE_VERB } from './prove-verb.ts';
import { RUN_VERBS } from './run-verbs.ts';
import { SEARCH_VERBS } from './search-verbs.ts';
import { SHARD_VERBS } from './shard-verbs.ts';
import { SAVED_RUN_VERBS } from './saved-run-verbs.ts';
import type { Verb } from './verb.ts';

const ROWS: readonly Verb[] = [
  AUTOPSY_VERB,
  CASE_VERB,
  ...CLUSTER_VERBS,
  ...RUN_VERBS,
  ...SHARD_VERBS,
  GATE_VERB,
  PROVE_VERB,
  ...SEARCH_VERBS,
  ...SAVED_RUN_VERBS,
  ...CATALOGUE_VERBS,
  ...HOST_VERBS,
];

/** The verbs by what a person wants to do. All other verbs are about machines. */
const JOBS: Readonly<Record<string, readonly string[]>> = {
  'Understand a death': [
    'autopsy',
    'why',
    'judge',
    'check',
    'explain',
    'report',
    'events',
    'history',
    'diff',
    'runs',
    'killers',
  ],
  'Run and reproduce': [
    'run',
    'case',
    'repro',
    'prove',
    'gate',
    'bisect',
    'difference',
    'list',
    'scenarios',
    'bugs',
  ],
  'Many hosts': ['plan', 'shard', 'merge'],
  'Write your own': ['init', 'new', 'completion'],
  Share: ['export', 'mcp', 'sbom'],
};
const MACHINES = 'Machines';

/** The verbs that the help shows first; all of them are shown by `help --all`. */
export const FIRST_VERBS: ReadonlySet<string> = new Set([
  'autopsy',
  'why',
  'judge',
  'run',
  'repro',
  'list',
  'new',
  'up',
]);

/** The verbs under the headings of the help and of the README. */
export const VERB_GROUPS: Readonly<Record<string, readonly Verb[]>> = groupByJob();

/** Every verb, in the order of the help. */
export const VERBS: readonly Verb[] = Object.values(VERB_GROUPS).flat();

function groupByJob(): Record<string, readonly Verb[]> {
  const named = new Set(Object.values(JOBS).flat());
  const groups = Object.entries(JOBS).map(([job, names]) => [
    job,
    names.flatMap((name) => ROWS.filter((verb) => verb.name === name)),
  ]);
  const others = ROWS.filter(({ name }) => !named.has(name));
  return Object.fromEntries([...groups, [MACHINES, others]]) as Record<string, readonly Verb[]>;
}

/** Words that other tools use for these verbs. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  autopsy: ['diagnose', 'postmortem', 'post-mortem', 'analyze', 'analyse', 'debug'],
  why: ['show', 'inspect', 'blame'],
  judge: ['rejudge'],
  check: ['verify'],
  explain: ['describe', 'define', 'man', 'search', 'find', 'grep'],
  run: ['test', 'start', 'kill'],
  repro: ['reproduce', 'replay'],
  case: ['triage', 'issue', 'paste'],
  list: ['ls', 'get'],
  report: ['view', 'summary', 'open'],
  diff: ['compare'],
  export: ['pack', 'save', 'archive'],
  init: ['setup', 'bootstrap'],
  new: ['create', 'add', 'scaffold'],
  up: ['create-cluster', 'boot', 'launch'],
  down: ['stop', 'delete', 'destroy', 'rm', 'remove'],
  status: ['ps', 'worlds', 'info'],
  shell: ['ssh', 'sh', 'bash', 'exec', 'enter'],
  gc: ['clean', 'cleanup'],
  bake: ['build'],
  doctor: ['preflight'],
};

/** Returns the verb for which another tool uses this word. */
export function findSynonym(word: string): string | undefined {
  return Object.keys(SYNONYMS).find((verb) => SYNONYMS[verb]?.includes(word));
}
