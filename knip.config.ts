import type { KnipConfig } from 'knip';

/**
 * Nothing is exported that no other file reads, no file is left that nothing loads, and package.json names what is used.
 * A test is a reader: it may be the only one of a pure function that its own file uses too.
 */
const config: KnipConfig = {
  entry: [
    'lab/cli.ts',
    'lab/report/page/browser/*.js',
    'bin/docs/results-page/*.js',
    // bin/autopsy-page.ts bundles these by their paths.
    'lab/autopsy/browser/{worker,page,node-bytes}.ts',
    // bin/library.ts bundles these for other programs.
    'lab/library/{index,vitest}.ts',
    'stacks/main.ts',
    'bin/*.{ts,mjs}',
    // Tests start these as processes of their own.
    'test/cli/support/run-lines.mjs',
    'test/fixtures/claim-room.ts',
    'test/fixtures/lock-rounds.ts',
    'test/fixtures/lease-ports.ts',
    'test/fixtures/made-up-axis/print-world.ts',
    'test/fixtures/progress/two-worlds.ts',
    'test/unit/world/cell/registry-that-dies.mjs',
    // all-stories.ts loads whatever is in these folders.
    'test/fixtures/told/{killers,combined}/*.ts',
  ],
  project: ['{lab,provision,stacks,bin,test}/**/*.{ts,mts,mjs,js}'],
  // Programs of the host: doctor looks for them, npm does not install them.
  exclude: ['binaries'],
  // Its schemas are read as files.
  ignoreDependencies: ['@cyclonedx/cyclonedx-library'],
};

export default config;
