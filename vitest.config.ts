import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Ends a test that hangs; no measure of a host, which may be several times slower than another. */
const HANGS_MS = 3 * 60_000;

/**
 * unit touches nothing, cli runs the real command line with fake host tools, report opens reports in Chromium, lab boots
 * virtual machines; nightly boots
 * several clusters, one after the other, and takes most of an hour without KVM.
 */
export default defineConfig({
  test: {
    retry: 0,
    // Where nothing else is said vitest keeps one processor free: on two that is one file after the other.
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          setupFiles: ['test/fixtures/properties.ts'],
          maxWorkers: availableParallelism(),
          testTimeout: HANGS_MS * Number(process.env.WHODUNIT_FUZZ_FACTOR ?? '1'),
        },
      },
      {
        test: {
          name: 'cli',
          include: ['test/cli/**/*.test.ts'],
          maxWorkers: availableParallelism(),
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          name: 'report',
          include: ['test/report/**/*.test.ts'],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 60 * 60_000,
          hookTimeout: 60 * 60_000,
        },
      },
      {
        test: {
          name: 'nightly',
          include: ['test/nightly/**/*.test.ts'],
          fileParallelism: false,
          hookTimeout: 4 * 60 * 60_000,
        },
      },
    ],
  },
});
