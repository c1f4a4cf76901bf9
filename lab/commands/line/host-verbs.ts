import { JSON_FLAG, LIST_FLAGS, LOCKED_FLAG, NO_WAIT_FLAG, VARIANT_DETAILS, type Verb } from './verb.ts';

/** The verbs about this machine, its cache, and where programs come from (docs/supply.md). */
export const HOST_VERBS: readonly Verb[] = [
  {
    name: 'doctor',
    about: 'check this machine, and show how to fix each problem',
    flags: {
      ...JSON_FLAG,
      fix: 'install missing packages, start libvirt, set the group of /dev/kvm',
    },
    details: `Boots a test guest of a few bytes in QEMU, to see whether KVM works here; it ends at once. Nothing else is started, and
without --fix nothing is changed.`,
    exits: { passed: 'the machine is ready', host: 'it is not ready' },
    answers: ['doctor'],
    examples: ['npx whodunit doctor', 'npx whodunit doctor --fix'],
    load: async () => (await import('../verbs/doctor.ts')).runDoctor,
  },
  {
    name: 'version',
    about: 'print the version of whodunit',
    flags: JSON_FLAG,
    answers: ['version'],
    examples: ['npx whodunit version', 'npx whodunit version --json'],
    load: async () => (await import('../verbs/version.ts')).runVersion,
  },
  {
    name: 'gc',
    about: 'remove what crashed labs left behind; worlds that are up are kept',
    flags: { ...JSON_FLAG, dryRun: 'show what would be removed', ...NO_WAIT_FLAG },
    exits: { passed: 'all of it was removed', host: 'something could not be removed' },
    answers: ['gc'],
    examples: ['npx whodunit gc --dry-run', 'npx whodunit gc'],
    load: async () => (await import('../verbs/gc.ts')).runGc,
  },
  {
    name: 'bake',
    words: '[variant...]',
    about: 'build the programs and the disk image of a variant in advance; starts no machine',
    flags: { ...JSON_FLAG, ...LOCKED_FLAG, ...NO_WAIT_FLAG },
    details: VARIANT_DETAILS,
    answers: ['bake'],
    examples: ['npx whodunit bake', 'npx whodunit bake os=trixie'],
    load: async () => (await import('../verbs/bake.ts')).runBake,
  },
  {
    name: 'cache',
    words: '<action> [words...]',
    about: 'list the cache, explain why something would be rebuilt, make the cache smaller, or share it',
    flags: {
      ...LIST_FLAGS,
      maxSize: 'prune: how much to keep, such as 20GiB (the default) or 500MiB',
      allUnused: 'prune: remove everything that no world uses',
      dryRun: 'prune: show what would be removed',
      ...NO_WAIT_FLAG,
    },
    unused: [
      {
        flags: ['maxSize', 'allUnused', 'dryRun', 'wait'],
        when: ([action]) => action !== 'prune',
        why: 'only cache prune removes something',
      },
      {
        flags: ['output'],
        when: ([action]) => action !== 'list',
        why: 'only cache list prints a list',
      },
      {
        flags: ['maxSize'],
        when: (_, { allUnused }) => allUnused === true,
        why: '--all-unused keeps only what worlds use',
      },
    ],
    details: `Actions:
  list                                    show kind, name, version, size, last use, and which worlds need it
  why [component|image|world] [variant…]  show what the cache has for a variant; for what it lacks, which inputs differ
  prune                                   remove the least recently used entries first; never one that a world or a lab uses
  push [variant…]                         send what $WHODUNIT_REMOTE_CACHE lacks: of the whole cache, or of a variant
  pull [variant…]                         fetch what a variant needs from $WHODUNIT_REMOTE_CACHE; up and run do this by themselves`,
    answers: ['cache-list', 'cache-why', 'cache-prune', 'cache-push', 'cache-pull'],
    examples: [
      'npx whodunit cache list',
      'npx whodunit cache why image os=trixie',
      'npx whodunit cache prune --max-size 10GiB --dry-run',
      'WHODUNIT_REMOTE_CACHE=oci://registry.example/team/cache npx whodunit cache push',
    ],
    load: async () => (await import('../verbs/cache.ts')).runCache,
  },
  {
    name: 'lock',
    words: '[selector...]',
    about: 'pin the digests of the programs that cells need in components.lock.yaml',
    flags: { ...JSON_FLAG, dryRun: 'show what would be pinned' },
    details: `Selectors are those of \`whodunit list\`. Without selectors: the set quick. The command downloads
checksums and the sources of Go modules, and builds nothing. Entries of the file are never changed: to accept another
digest, remove the entry first. Commit the file. With --locked, a command uses only programs that it pins.`,
    exits: { passed: 'everything is pinned', host: 'something is not pinned' },
    answers: ['lock'],
    examples: ['npx whodunit lock', 'npx whodunit lock set=full --dry-run', 'npx whodunit up --locked'],
    load: async () => (await import('../verbs/lock.ts')).runLock,
  },
  {
    name: 'sbom',
    words: '[variant...]',
    about: 'print the software bill of materials of a node, or of whodunit itself (CycloneDX JSON)',
    flags: { json: 'accepted, and changes nothing: the document is always JSON' },
    details: `${VARIANT_DETAILS}
The word lab means whodunit itself: its Node modules, as \`npm sbom\` lists them.

For nodes, it lists Debian packages, programs with their digests and sources, the Go modules in them, and container
images. It only reads the cache: it builds and downloads nothing. If something is not known, the document names it and says
that its composition is incomplete.`,
    answers: ['CycloneDX'],
    examples: ['npx whodunit sbom', 'npx whodunit sbom os=trixie', 'npx whodunit sbom lab'],
    load: async () => (await import('../verbs/sbom.ts')).runSbom,
  },
  {
    name: 'completion',
    words: '<shell>',
    about: 'print a completion script for bash, zsh or fish',
    flags: {},
    details: `The script completes commands, flags, selectors, runs and bugs after the word whodunit. That command comes from
\`npm install --global\`, or from an alias for \`npx whodunit\`. For bash, run:
  eval "$(npx whodunit completion bash)"
The scripts for zsh and fish say where to put them.`,
    examples: ['npx whodunit completion bash', 'npx whodunit completion fish'],
    load: async () => (await import('../verbs/completion.ts')).runCompletion,
  },
];
