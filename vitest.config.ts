import { defineConfig } from 'vitest/config';

/** unit touches nothing, cli runs the real command line with fake host tools, lab boots virtual machines. */
export default defineConfig({
  test: {
    retry: 0,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['test/fixtures/properties.ts'],
          testTimeout: 30_000 * Number(process.env.WHODUNIT_FUZZ_FACTOR ?? '1'),
        },
      },
      { test: { name: 'cli', include: ['test/cli/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
      {
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60 * 60_000,
          hookTimeout: 60 * 60_000,
        },
      },
    ],
  },
});
