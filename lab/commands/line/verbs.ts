import { ASKING_VERBS } from './asking-verbs.ts';
import { RECORD_VERBS } from './record-verbs.ts';
import { SUPPLY_VERBS } from './supply-verbs.ts';
import { JSON_FLAG, LOCKED_FLAG, NO_WAIT_FLAG, type Verb, type VerbFlags } from './verb.ts';

const COLD_FLAG: VerbFlags = { cold: 'build worlds from their image; derive none from a saved one' };
const PLAN_FLAGS: VerbFlags = {
  pairwise: 'choose few cells that together have every pair of values of the selected ones',
  seed: 'shuffle the order of worlds and cells (default: nearest to the default variant first)',
};
const WORLD_FLAG: VerbFlags = { world: 'the world to enter (default: the only one that is up)' };

const SELECTOR_DETAILS = `A cell is one scenario on one variant of the cluster; its address is <variant>/<scenario>,
with [name=value,…] behind it for parameters of the workload that are not at their default.
Without selectors: the set quick. Selectors choose among all scenarios, on the default variant unless they name another.

Selectors:
  default/oom-*  oom-*  v1            globs over addresses, scenarios and variants; several add up
  cgroup=v1,v2 drivers=*              variants by axis; axes not named keep their default, globs mean named values
  kubernetes=1.29.14 containerd=2.1.4 any exact version; a build of your own as file:<path>
  limit=64Mi  'oom-*[limit=64Mi]'     scenarios that have this parameter, with these values; * means all of them
  scenario=… tag=…                    only these scenarios; globs and commas work
  bug=…                               both sides and the controls of a bug, and its table of variants; beside axes, its scenario
  set=quick, deaths, nightly or full  start from a named set of matrix.yaml; other words then filter it`;

const VARIANT_DETAILS = `A variant is the part before / of an address in \`whodunit list\` (default, v1, systemd+cgroupfs), or axis=value
words (cgroup=v1 os=bullseye). Without one: the default variant.`;

/** Every verb, in the order of the help. */
export const VERBS: readonly Verb[] = [
  {
    name: 'up',
    words: '[variant...]',
    about: 'bring up the machines and the cluster of a variant, and say how to enter them',
    flags: {
      ...JSON_FLAG,
      keep: 'leave the machines running when a step fails, to look at them',
      dryRun:
        'show the steps on the way to the world, what each waits for and takes; start and write nothing',
      ...COLD_FLAG,
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
    },
    details: `${VARIANT_DETAILS}

A world that was up before is restored from its snapshot. Missing host packages are installed when that is
possible without asking; otherwise nothing is started and the line to run is printed.`,
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
    about: 'remove the machines of a variant, and every file of theirs',
    flags: { ...JSON_FLAG, all: 'remove every world', ...NO_WAIT_FLAG },
    details:
      'A variant is a name of `whodunit status` (default, v1), or axis=value words. Without one: default. Runs and cache stay.',
    examples: ['npx whodunit down', 'npx whodunit down cgroup=v1', 'npx whodunit down --all'],
    load: async () => (await import('../verbs/down.ts')).runDown,
  },
  {
    name: 'list',
    words: '[selector...]',
    about: 'show the cells that selectors choose, the skipped ones with their reason, time and memory',
    flags: {
      ...JSON_FLAG,
      ...PLAN_FLAGS,
      ...COLD_FLAG,
      summary: 'count the cells of each world and of each rule',
    },
    details: SELECTOR_DETAILS,
    examples: [
      'npx whodunit list set=full --summary',
      "npx whodunit list 'oom-*' cgroup=v1,v2",
      'npx whodunit list drivers=* plain-exit --json',
    ],
    load: async () => (await import('../verbs/list.ts')).runList,
  },
  {
    name: 'run',
    words: '[selector...]',
    about: 'run scenarios: bring up what they need, let pods die, name each killer with proof',
    flags: {
      ...JSON_FLAG,
      ...PLAN_FLAGS,
      ...COLD_FLAG,
      lastFailed: 'run the cells that failed or were inconclusive in the newest run',
      resume: 'go on with the newest run, or the one named: run what it has not judged yet',
      failFast: 'start no further cell when one has failed',
      dryRun: 'show what would be run, with its cost; start nothing',
      parallel: 'worlds at once (default: as many as the CPUs carry: two each when emulated)',
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
    },
    details: `${SELECTOR_DETAILS}

Worlds run at once as far as memory and CPUs allow. One that has no cells left is parked (its power is taken away, its
snapshot stays) when another one needs the room.

Exit code: 0 all passed or skipped, 1 some failed, 3 some inconclusive, 130 interrupted.`,
    examples: [
      'npx whodunit run oom-single-container within-limits',
      'npx whodunit run cgroup=v1 tag=oom --dry-run',
      'npx whodunit run --last-failed',
      'npx whodunit run --resume',
    ],
    load: async () => (await import('../verbs/run.ts')).runRun,
  },
  {
    name: 'why',
    words: '<address-or-run>',
    about: 'show who killed the victim of a cell, with file and line of the proof',
    flags: { ...JSON_FLAG, run: 'take this run (default: the newest that has the cell)' },
    details: `An address is <variant>/<scenario>; a scenario alone means default/<scenario>. latest, an id of \`whodunit runs\` or the
beginning of exactly one id mean the first cell of that run that did not pass, or its only one.`,
    examples: [
      'npx whodunit why oom-single-container',
      'npx whodunit why latest',
      'npx whodunit why v1/plain-exit --run latest',
    ],
    load: async () => (await import('../verbs/why.ts')).runWhy,
  },
  {
    name: 'judge',
    words: '<run-or-folder...>',
    about: 'judge saved evidence again, offline, and say what changed since',
    flags: JSON_FLAG,
    details: `A run is latest, an id of \`whodunit runs\`, or the beginning of exactly one id. A folder is that of a cell (it has a
cell.json), or one above several cells. With several words the cells of all of them are judged.

Exit code: 0 nothing changed, 1 something did, 2 what was saved cannot be judged.`,
    examples: ['npx whodunit judge latest', 'npx whodunit judge test/fixtures/evidence/oom-single-container'],
    load: async () => (await import('../verbs/judge.ts')).runJudge,
  },
  {
    name: 'repro',
    words: '<bug-or-replay>',
    about: 'run the affected and the fixed variant of a reported bug, and show both verdicts, ready to paste',
    flags: {
      ...JSON_FLAG,
      markdown: 'print only the Markdown for the issue',
      affected: 'other axes and parameters of the affected side: does it still happen with these?',
      fixed: 'other axes and parameters of the fixed side',
      repeat: 'run each of the two sides so often (default: as the bug says)',
      ...LOCKED_FLAG,
      ...NO_WAIT_FLAG,
      dryRun: 'show what would be run, with its cost; start nothing',
    },
    details: `A bug is an id of \`whodunit bugs\`, the link of an issue or pull request, or kubernetes#131567. It comes before
--affected and --fixed, which take all words up to the next flag. A replay.yaml of \`whodunit export\` in its place is run again
exactly, or refused with everything that has changed since.

Exit code: 0 reproduced, 1 not reproduced, 3 inconclusive, 130 interrupted.`,
    examples: [
      'npx whodunit repro driver-mismatch-kill-loop',
      'npx whodunit repro https://github.com/kubernetes/kubernetes/issues/131567 --dry-run',
      'npx whodunit repro driver-mismatch-kill-loop --affected kubernetes=1.36',
    ],
    load: async () => (await import('../verbs/repro.ts')).runRepro,
  },
  {
    name: 'export',
    words: '<run-or-address>',
    about: 'pack a saved run or one cell into an archive without secrets, with what repeats it exactly',
    flags: {
      ...JSON_FLAG,
      out: 'the archive (default: the id of the run, .tar.gz, in this folder)',
      run: 'of an address: take this run (default: the newest that has the cell)',
    },
    details: `A run is latest, an id of \`whodunit runs\`, or the beginning of exactly one id. The evidence in the archive can be judged as
it is, and \`whodunit repro <folder>/replay.yaml\` does the run again, or says what is not there any more.`,
    examples: [
      'npx whodunit export latest',
      'npx whodunit export default/oom-single-container --out oom.tar.gz',
    ],
    load: async () => (await import('../verbs/export.ts')).runExport,
  },
  {
    name: 'bugs',
    about: 'list the reported bugs: what each compares, and where it was reported',
    flags: JSON_FLAG,
    examples: ['npx whodunit bugs', 'npx whodunit bugs --json'],
    load: async () => (await import('../verbs/bugs.ts')).runBugs,
  },
  {
    name: 'report',
    words: '[run]',
    about: 'summarise a saved run, and write its HTML and JUnit files',
    flags: {
      ...JSON_FLAG,
      format: 'print it as markdown (ready for an issue), html, junit or json instead',
      table: 'print who was killed and what each layer called it, as Markdown; judges the evidence again',
    },
    details:
      'A run is latest, an id of `whodunit runs`, or the beginning of exactly one id. Without one: the newest.',
    examples: [
      'npx whodunit report',
      'npx whodunit report latest --format markdown',
      'npx whodunit report --table',
    ],
    load: async () => (await import('../verbs/report.ts')).runReport,
  },
  ...RECORD_VERBS,
  {
    name: 'shell',
    words: '[words...]',
    about: 'open a root shell on a node, or run one command there',
    flags: WORLD_FLAG,
    details: `The first word may name a node (default: the first node); the rest is the command. Flags of the lab
come before the command, flags of the command after it.`,
    passThrough: true,
    examples: ['npx whodunit shell', 'npx whodunit shell node-1 uname -r'],
    load: async () => (await import('../verbs/shell.ts')).runShell,
  },
  {
    name: 'kubectl',
    words: '[words...]',
    about: "run kubectl of the cluster's own version against it",
    flags: WORLD_FLAG,
    details:
      'All words go to kubectl as they are. Flags of the lab come before them, flags of kubectl after them.',
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
      node: 'which node (default: the first)',
      follow: 'stay, and print what comes',
      since: "only from then on, as journalctl reads it: '10 min ago', 14:05",
    },
    examples: ['npx whodunit logs kubelet -f', "npx whodunit logs kernel --since '10 min ago' --node node-1"],
    load: async () => (await import('../verbs/logs.ts')).runLogs,
  },
  {
    name: 'doctor',
    about: 'check the host and say how to fix what is wrong',
    flags: { ...JSON_FLAG, fix: 'install missing packages, start libvirt, set the group of /dev/kvm' },
    details: 'Exit code: 0 the host is ready, 3 it is not.',
    examples: ['npx whodunit doctor', 'npx whodunit doctor --fix'],
    load: async () => (await import('../verbs/doctor.ts')).runDoctor,
  },
  {
    name: 'gc',
    about: 'remove what crashed labs left behind; worlds that are up stay',
    flags: { ...JSON_FLAG, dryRun: 'print what would be removed', ...NO_WAIT_FLAG },
    examples: ['npx whodunit gc --dry-run', 'npx whodunit gc'],
    load: async () => (await import('../verbs/gc.ts')).runGc,
  },
  {
    name: 'bake',
    words: '[variant...]',
    about: 'build programs and disk image of a variant ahead of time; starts no machine',
    flags: { ...JSON_FLAG, ...LOCKED_FLAG, ...NO_WAIT_FLAG },
    details: VARIANT_DETAILS,
    examples: ['npx whodunit bake', 'npx whodunit bake os=trixie'],
    load: async () => (await import('../verbs/bake.ts')).runBake,
  },
  ...SUPPLY_VERBS,
  {
    name: 'cache',
    words: '<action> [words...]',
    about: 'list what lies in the cache, say why something would be made again, or prune it',
    flags: {
      ...JSON_FLAG,
      maxSize: 'prune: what may stay, such as 20GiB (the default) or 500MiB',
      allUnused: 'prune: remove all that no world uses',
      dryRun: 'prune: print what would be removed',
      ...NO_WAIT_FLAG,
    },
    details: `Actions:
  list                                    kind, name, version, size, last use, and which worlds break without it
  why [component|image|world] [variant…]  what of a variant is there, its world too; of the rest, which inputs differ
  prune                                   remove the least recently used first; never what a world uses`,
    examples: [
      'npx whodunit cache list',
      'npx whodunit cache why image os=trixie',
      'npx whodunit cache prune --max-size 10GiB --dry-run',
    ],
    load: async () => (await import('../verbs/cache.ts')).runCache,
  },
  ...ASKING_VERBS,
];
