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
    load: async () => (await import('./lock.ts')).runLock,
  },
];
