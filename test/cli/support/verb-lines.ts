import { join } from 'node:path';
import { VERBS } from '../../../lab/commands/line/verbs.ts';
import { PROJECT } from './run-cli.ts';

/** The run of test/fixtures/run-from-before, and its cell. */
export const SAVED_RUN = '20250101-0900-before';
export const SAVED_CELL = 'default/sigkill-beside-an-oom';

/** The scenario of test/fixtures/small-project. */
const SCENARIO = 'eats-too-much';

/** Command lines of each verb that no machine is needed for, and that start nothing where PATH has no program. */
export const VERB_LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  up: [['--dry-run']],
  down: [[], ['--all']],
  status: [[]],
  shell: [[]],
  kubectl: [['get', 'pods']],
  logs: [['kubelet']],
  list: [[SCENARIO], [SCENARIO, '--summary']],
  run: [[SCENARIO, '--dry-run'], ['--last-failed'], ['--resume', SAVED_RUN]],
  plan: [[SCENARIO], [SCENARIO, '--shards', '2']],
  shard: [['manifest', '--engine', 'slurm', '--plan', 'no-plan.json']],
  merge: [[SAVED_RUN, '--plan', 'no-plan.json']],
  gate: [
    ['--base', SAVED_RUN, '--head', SAVED_RUN],
    ['--for', 'runc', '--minutes', '20', '--dry-run'],
  ],
  prove: [
    [SAVED_CELL, '--dry-run'],
    [SAVED_RUN, '--dry-run'],
  ],
  bisect: [
    ['lost-label', '--dry-run', '--axis', 'containerd', '--good', '1.7.27', '--bad', '2.2.3'],
    ['--resume'],
  ],
  difference: [[SAVED_CELL, 'v1/sigkill-beside-an-oom', '--dry-run'], ['--resume']],
  repro: [['lost-label', '--dry-run']],
  why: [[SAVED_CELL], [SAVED_RUN]],
  report: [[], [SAVED_RUN]],
  judge: [[SAVED_RUN]],
  check: [[SAVED_RUN]],
  autopsy: [[join(PROJECT, 'test/fixtures/pastes/p05-eviction-api/input')]],
  case: [[join(PROJECT, 'test/fixtures/pastes/p05-eviction-api/input')]],
  runs: [[]],
  events: [[SAVED_RUN]],
  history: [[SAVED_CELL]],
  diff: [[SAVED_RUN, SAVED_RUN]],
  export: [[SAVED_RUN]],
  mcp: [[]],
  scenarios: [[SCENARIO]],
  killers: [[]],
  bugs: [[]],
  explain: [['cgroup']],
  init: [['.']],
  new: [['scenario', 'made-by-a-test']],
  doctor: [[]],
  version: [[]],
  gc: [['--dry-run'], []],
  bake: [[]],
  cache: [['list'], ['why', 'image'], ['prune', '--dry-run']],
  lock: [[SCENARIO, '--dry-run']],
  sbom: [[], ['lab']],
  completion: [['bash']],
};

/** All lines, with the name of their verb. */
export function listVerbLines(): string[][] {
  return VERBS.flatMap(({ name }) => (VERB_LINES[name] ?? []).map((words) => [name, ...words]));
}
