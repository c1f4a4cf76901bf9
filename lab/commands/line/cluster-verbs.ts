import {
  COLD_FLAG,
  JSON_FLAG,
  LIST_FLAGS,
  LOCKED_FLAG,
  NO_WAIT_FLAG,
  VARIANT_DETAILS,
  type Verb,
  type VerbFlags,
} from './verb.ts';

const WORLD_FLAG: VerbFlags = { world: 'the world to use (default: the only one that is up)' };

/** The verbs that start, enter and remove clusters. */
export const CLUSTER_VERBS: readonly Verb[] = [
  {
    name: 'up',
    words: '[variant...]',
    about: 'start a cluster and show how to reach it',
    flags: {
      ...JSON_FLAG,
      keep: 'leave the machines running when a step fails, so that you can look inside',
      dryRun: 'show the steps, what each waits for and how long it takes; changes nothing',
      ...COLD_FLAG,
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
    },
    details: `${VARIANT_DETAILS}

A world is the cluster of one variant, in virtual machines. A world that was up before is restored from its snapshot.
Missing host packages are installed if that needs no password. Otherwise nothing is started, and the command that you
have to run is printed.`,
    answers: ['up', 'up-plan'],
    examples: [
      'npx whodunit up',
      'npx whodunit up cgroup=v1',
      'npx whodunit up kubernetes=1.36 os=trixie --dry-run',
    ],
    load: async () => (await import('../verbs/up.ts')).runUp,
  },
  {
    name: 'down',
    words: '[variant...]',
    about: 'remove the machines and all files of a cluster',
    flags: { ...JSON_FLAG, all: 'remove every world', ...NO_WAIT_FLAG },
    unused: [
      {
        flags: ['all'],
        when: (words) => words.length > 0,
        why: 'it removes every world, and words name some',
      },
    ],
    details: `A variant is a name from \`whodunit status\` (default, v1), or axis=value words. Without words: the default variant.
Saved runs and the cache are kept.`,
    answers: ['down'],
    examples: ['npx whodunit down', 'npx whodunit down cgroup=v1', 'npx whodunit down --all'],
    load: async () => (await import('../verbs/down.ts')).runDown,
  },
  {
    name: 'status',
    about: 'show which worlds are up or saved, which lab is running, and the disk space used',
    flags: LIST_FLAGS,
    answers: ['status'],
    examples: ['npx whodunit status', 'npx whodunit status --json'],
    load: async () => (await import('../verbs/status.ts')).runStatus,
  },
  {
    name: 'shell',
    words: '[words...]',
    about: 'open a root shell on a node, or run one command there',
    flags: WORLD_FLAG,
    details: `The first word may be the name of a node (default: the first node). The rest is the command. Put flags of whodunit
before the command, and flags of the command after it.`,
    passThrough: true,
    examples: ['npx whodunit shell', 'npx whodunit shell node-1 uname -r'],
    load: async () => (await import('../verbs/shell.ts')).runShell,
  },
  {
    name: 'kubectl',
    words: '[words...]',
    about: "run kubectl, in the cluster's own version, against the cluster",
    flags: WORLD_FLAG,
    details: `All words are passed to kubectl unchanged. Put flags of whodunit before them, and flags of kubectl after them.`,
    passThrough: true,
    examples: ['npx whodunit kubectl get pods -A', 'npx whodunit kubectl --world v1 get nodes'],
    load: async () => (await import('../verbs/kubectl.ts')).runKubectl,
  },
  {
    name: 'logs',
    words: '[source]',
    about: 'print a log of a node: kubelet (default), containerd or kernel',
    flags: {
      ...WORLD_FLAG,
      node: 'the node (default: the first)',
      follow: 'keep printing new entries',
      since: "only entries since this time, in journalctl syntax: '10 min ago', 14:05",
    },
    examples: ['npx whodunit logs kubelet -f', "npx whodunit logs kernel --since '10 min ago' --node node-1"],
    load: async () => (await import('../verbs/logs.ts')).runLogs,
  },
];
