import { UsageError } from '../../model/errors/errors.ts';
import type { Environment } from '../../model/host/environment.ts';

/** Which shard a process is, from 1, and of how many where that is said. */
export interface ShardChoice {
  readonly shard: number;
  readonly of?: number | undefined;
}

/** How an engine tells a task which one it is. */
interface EngineRow {
  /** The variable with its index. */
  readonly variable: string;
  readonly indexIn: (env: Environment) => string | undefined;
  /** The index of the first task. */
  readonly first: 0 | 1;
  /** The number of tasks; left out where a rerun of one task changes it. */
  readonly count?: { readonly variable: string; readonly in: (env: Environment) => string | undefined };
}

/**
 * The engines, in the order in which they are asked. A task of Slurm has the index that `--array` gave it: `--array=1-8`
 * runs all shards of eight, and `--array=5` runs the fifth again. So neither its smallest index nor its number of tasks
 * counts. A matrix of GitHub Actions sets nothing by itself: the workflow sets WHODUNIT_SHARD.
 */
const ENGINES: readonly EngineRow[] = [
  { variable: 'WHODUNIT_SHARD', indexIn: (env) => env.WHODUNIT_SHARD, first: 1 },
  { variable: 'SLURM_ARRAY_TASK_ID', indexIn: (env) => env.SLURM_ARRAY_TASK_ID, first: 1 },
  { variable: 'JOB_COMPLETION_INDEX', indexIn: (env) => env.JOB_COMPLETION_INDEX, first: 0 },
  {
    variable: 'BUILDKITE_PARALLEL_JOB',
    indexIn: (env) => env.BUILDKITE_PARALLEL_JOB,
    first: 0,
    count: { variable: 'BUILDKITE_PARALLEL_JOB_COUNT', in: (env) => env.BUILDKITE_PARALLEL_JOB_COUNT },
  },
  {
    variable: 'CIRCLE_NODE_INDEX',
    indexIn: (env) => env.CIRCLE_NODE_INDEX,
    first: 0,
    count: { variable: 'CIRCLE_NODE_TOTAL', in: (env) => env.CIRCLE_NODE_TOTAL },
  },
  {
    variable: 'CI_NODE_INDEX',
    indexIn: (env) => env.CI_NODE_INDEX,
    first: 1,
    count: { variable: 'CI_NODE_TOTAL', in: (env) => env.CI_NODE_TOTAL },
  },
];

const NUMBER = /^\d{1,6}$/;

/**
 * Reads `--shard`: `3`, `3/8`, or `auto`, which asks the engine that runs this process.
 *
 * @param verb whose help says more.
 * @throws UsageError when it is none of these, or no engine says anything.
 */
export function readShard(text: string, env: Environment, verb = 'run'): ShardChoice {
  if (text === 'auto') return askEngine(env);
  const [, shard, of] = /^([1-9]\d{0,5})(?:\/([1-9]\d{0,5}))?$/.exec(text) ?? [];
  if (shard === undefined)
    throw new UsageError(`--shard takes an index from 1, such as 3 or 3/8, or auto; not "${text}"`, {
      tryNext: `npx whodunit help ${verb}`,
    });
  const choice = { shard: Number(shard), ...(of === undefined ? {} : { of: Number(of) }) };
  if (choice.of !== undefined && choice.shard > choice.of)
    throw new UsageError(`--shard ${text}: the last of ${of} shards is ${of}/${of}`, {
      tryNext: `npx whodunit help ${verb}`,
    });
  return choice;
}

function askEngine(env: Environment): ShardChoice {
  for (const { variable, indexIn, first, count: counted } of ENGINES) {
    const value = indexIn(env);
    if (value === undefined) continue;
    const count = counted?.in(env);
    refuseOther(variable, value);
    if (counted !== undefined && count !== undefined) refuseOther(counted.variable, count);
    const shard = Number(value) - first + 1;
    if (shard < 1)
      throw new UsageError(`${variable} is ${value}, and its tasks are counted from ${first}`, {
        tryNext: 'number the tasks from 1: --array=1-8 for eight shards',
      });
    return { shard, ...(count === undefined ? {} : { of: Number(count) }) };
  }
  const names = ENGINES.map(({ variable }) => variable);
  throw new UsageError(`--shard auto: none of ${names.join(', ')} is set`, {
    tryNext: 'give the index yourself: --shard 3, or WHODUNIT_SHARD=3',
  });
}

/** @throws UsageError when a variable has anything else than a count. */
function refuseOther(variable: string, value: string): void {
  if (NUMBER.test(value)) return;
  throw new UsageError(`${variable} is "${value}", which is not a number of at most six digits`, {
    tryNext: `set ${variable} to a number, or give the index yourself: --shard 3`,
  });
}
