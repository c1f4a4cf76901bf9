/** What one environment variable is for. */
export interface VariableRow {
  /** What it changes. */
  readonly does: string;
  /** What holds when it is not set. */
  readonly otherwise: string;
  /**
   * What an empty value means: it is an error, because a script most likely had nothing to put there; or the same as no
   * value, because whoever defined the variable says so (the XDG specification, no-color.org, npm, GitHub Actions).
   */
  readonly empty: 'error' | 'unset';
}

/** Every environment variable that our code reads, by what it is about. docs/environment.md is made of this table. */
export const ENVIRONMENT_TABLE = {
  'Where files are': {
    WHODUNIT_HOME: {
      does: 'The state folder: worlds, runs, locks and, unless `WHODUNIT_CACHE` names another folder, the cache.',
      otherwise:
        '`.lab/` of your own project; else that of the clone, or `~/.whodunit` when npm installed whodunit',
      empty: 'error',
    },
    WHODUNIT_CACHE: {
      does: 'The cache: downloads, built programs and disk images. Several state folders can share one.',
      otherwise:
        '`cache/` in `WHODUNIT_HOME`; else in `.lab/` of the clone, or in `~/.whodunit` when npm installed whodunit: projects share it',
      empty: 'error',
    },
    WHODUNIT_PROJECT: {
      does: 'The folder of your own project, which has a `whodunit.yaml`. `--project` wins over it.',
      otherwise: 'the nearest such folder, from the working folder upwards',
      empty: 'error',
    },
    WHODUNIT_REMOTE_CACHE: {
      does: 'A cache in a registry for containers, such as `oci://registry.example/team/cache` ([cache.md](cache.md)). What the cache lacks is looked for there before it is made.',
      otherwise: 'what the cache lacks is made',
      empty: 'unset',
    },
    DOCKER_CONFIG: {
      does: "The folder of Docker's `config.json`, which has the credentials for the remote cache.",
      otherwise: '`~/.docker`',
      empty: 'unset',
    },
    HOME: {
      does: 'The home folder. `~/.whodunit` is there, and where the `XDG_` variables are not set, the folders of libvirt.',
      otherwise: 'the home folder in `/etc/passwd`',
      empty: 'error',
    },
    TMPDIR: {
      does: 'The folder of temporary files, which are removed at the end.',
      otherwise: '`/tmp`',
      empty: 'error',
    },
    XDG_RUNTIME_DIR: {
      does: "The folder of the libvirt session daemon's socket, when whodunit does not run as root.",
      otherwise: '`/run/user/<uid>`',
      empty: 'unset',
    },
    XDG_CACHE_HOME: {
      does: 'The folder of the logs that the libvirt session daemon writes, and the second place to look for its socket.',
      otherwise: '`~/.cache`',
      empty: 'unset',
    },
    XDG_CONFIG_HOME: {
      does: "The folder of the user's own libvirt settings, which `doctor` checks.",
      otherwise: '`~/.config`',
      empty: 'unset',
    },
  },
  'The host': {
    PATH: {
      does: 'Where programs such as `virsh` and `qemu-system-x86_64` are looked for. The `sbin` folders are added.',
      otherwise: 'only the `sbin` folders',
      empty: 'error',
    },
    USER: {
      does: 'The name of the user, when the user id has no entry in `/etc/passwd`.',
      otherwise: 'no name: no subordinate ids are found',
      empty: 'unset',
    },
  },
  'What is printed': {
    CI: {
      does: 'When on, a step prints one line when it starts and one when it ends, on a terminal too.',
      otherwise: 'a terminal shows the running steps live',
      empty: 'unset',
    },
    TERM: {
      does: '`dumb` means a terminal that cannot redraw lines: no live steps and no colours.',
      otherwise: 'a terminal that can',
      empty: 'unset',
    },
    FORCE_COLOR: {
      does: 'Colours on; `0` and `false` mean off. It wins over `NO_COLOR`.',
      otherwise: 'colours on a terminal only',
      empty: 'unset',
    },
    NO_COLOR: {
      does: 'No colours, with any value that is not empty ([no-color.org](https://no-color.org)).',
      otherwise: 'colours on a terminal only',
      empty: 'unset',
    },
    GITHUB_ACTIONS: {
      does: '`true` means that GitHub Actions runs whodunit: `run` annotates what did not pass.',
      otherwise: 'no annotations',
      empty: 'unset',
    },
    GITHUB_STEP_SUMMARY: {
      does: 'The file that GitHub Actions shows as the summary of a step. `run` appends its report there.',
      otherwise: 'no summary',
      empty: 'unset',
    },
  },
  'Which shard this is': {
    WHODUNIT_SHARD: {
      does: 'The shard that `run --shard auto` runs, from 1. It wins over what engines say.',
      otherwise: 'the engine says it',
      empty: 'error',
    },
    SLURM_ARRAY_TASK_ID: {
      does: 'Slurm sets it: the index in the array, from 1 with `--array=1-8`. It is the shard.',
      otherwise: '`--shard` names the shard',
      empty: 'unset',
    },
    JOB_COMPLETION_INDEX: {
      does: 'Kubernetes sets it in an Indexed Job: the index, from 0. The shard is one more.',
      otherwise: '`--shard` names the shard',
      empty: 'unset',
    },
    BUILDKITE_PARALLEL_JOB: {
      does: 'Buildkite sets it: the index of a parallel job, from 0. The shard is one more.',
      otherwise: '`--shard` names the shard',
      empty: 'unset',
    },
    BUILDKITE_PARALLEL_JOB_COUNT: {
      does: 'Buildkite sets it: how many parallel jobs there are. The plan must have as many shards.',
      otherwise: 'the number is not compared',
      empty: 'unset',
    },
    CIRCLE_NODE_INDEX: {
      does: 'CircleCI sets it: the index of a parallel container, from 0. The shard is one more.',
      otherwise: '`--shard` names the shard',
      empty: 'unset',
    },
    CIRCLE_NODE_TOTAL: {
      does: 'CircleCI sets it: how many containers there are. The plan must have as many shards.',
      otherwise: 'the number is not compared',
      empty: 'unset',
    },
    CI_NODE_INDEX: {
      does: 'GitLab sets it: the index of a parallel job, from 1. It is the shard.',
      otherwise: '`--shard` names the shard',
      empty: 'unset',
    },
    CI_NODE_TOTAL: {
      does: 'GitLab sets it: how many parallel jobs there are. The plan must have as many shards.',
      otherwise: 'the number is not compared',
      empty: 'unset',
    },
  },
  npm: {
    npm_lifecycle_event: {
      does: 'npm sets it. `lab` and `npx` decide how printed commands are spelled, and whether npm may have eaten flags.',
      otherwise: '`npx whodunit`, or `whodunit` where that is how it was called',
      empty: 'unset',
    },
    npm_config_userconfig: {
      does: "npm sets it: the user's `.npmrc`. What it sets is not taken for a flag that npm has eaten.",
      otherwise: 'none is read',
      empty: 'unset',
    },
    npm_config_globalconfig: {
      does: 'npm sets it: the global `npmrc`, read for the same reason.',
      otherwise: 'none is read',
      empty: 'unset',
    },
    npm_config_local_prefix: {
      does: "npm sets it: the folder of the project's `.npmrc`, read for the same reason.",
      otherwise: 'none is read',
      empty: 'unset',
    },
    npm_execpath: {
      does: "npm sets it: npm's own program, beside which its built-in `npmrc` is, read for the same reason.",
      otherwise: 'none is read',
      empty: 'unset',
    },
  },
  'Tests of whodunit': {
    WHODUNIT_TEST_MINUTES: {
      does: 'How long `npm test` may take: the last lab tests are skipped where too little of it is left. `.ci/run` sets it.',
      otherwise: 'as long as it takes',
      empty: 'unset',
    },
    WHODUNIT_FUZZ_SEED: {
      does: 'The seed of the property tests. `npm run fuzz` sets it, and prints it when a test fails.',
      otherwise: 'a fixed seed',
      empty: 'error',
    },
    WHODUNIT_FUZZ_FACTOR: {
      does: 'How many times as many cases the property tests try; from 4 on, they take all captures. `npm run fuzz` sets it.',
      otherwise: '1',
      empty: 'error',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, VariableRow>>>>;

type Table = typeof ENVIRONMENT_TABLE;

/** The name of a variable that our code reads. */
type VariableName = { [Group in keyof Table]: keyof Table[Group] }[keyof Table];

/** An environment, as our code reads it: only by the names of the table. */
export type Environment = Readonly<Partial<Record<VariableName, string | undefined>>>;

/** Names of the variables for which an empty value means this. */
function listByEmpty(empty: VariableRow['empty']): VariableName[] {
  return Object.values(ENVIRONMENT_TABLE).flatMap((rows: Readonly<Record<string, VariableRow>>) =>
    Object.keys(rows).filter((name) => rows[name]?.empty === empty),
  ) as VariableName[];
}

/** The variables that are empty and may not be. */
export function listEmptyVariables(env: Environment): string[] {
  return listByEmpty('error').filter((name) => env[name]?.trim() === '');
}

/** The variables whose empty value is to be taken for none. */
export function listUnsetVariables(env: Environment): string[] {
  return listByEmpty('unset').filter((name) => env[name] === '');
}
