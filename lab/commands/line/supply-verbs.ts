import { JSON_FLAG, type Verb } from './verb.ts';

/** Verbs about where programs come from (docs/supply.md). */
export const SUPPLY_VERBS: readonly Verb[] = [
  {
    name: 'lock',
    words: '[selector...]',
    about: 'write the digests of the programs that cells need into components.lock.yaml',
    flags: { ...JSON_FLAG, dryRun: 'show what would be written' },
    details: `Selectors are those of \`whodunit list\`; without them: the set quick. It downloads checksums and the sources of Go modules,
and builds nothing. What the file has stays as it is: to accept another digest, remove its entry first. --locked of up, run,
repro and bake then takes nothing else. Commit the file.

Exit code: 0 all is locked, 3 something is not.`,
    examples: ['npx whodunit lock', 'npx whodunit lock set=full --dry-run', 'npx whodunit up --locked'],
    load: async () => (await import('../verbs/lock.ts')).runLock,
  },
  {
    name: 'sbom',
    words: '[variant...]',
    about: 'print what guests, or the lab itself, are made of, as a CycloneDX bill of materials (JSON)',
    flags: {},
    details: `A variant is axis=value words, or the part before / of an address; without one: the default variant. The word lab
stands for the lab itself: its Node modules, as \`npm sbom\` lists them.

Of guests it has Debian packages, programs with their digests and sources, the Go modules in them, and container images. It
reads the cache, makes nothing and asks no network. What it does not know is in the document, and its composition is then
incomplete.`,
    examples: ['npx whodunit sbom', 'npx whodunit sbom os=trixie', 'npx whodunit sbom lab'],
    load: async () => (await import('../verbs/sbom.ts')).runSbom,
  },
];
