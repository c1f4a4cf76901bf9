import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends a test that hangs; no measure of a host, which may be several times slower than another. */
const HANGS_MS = 3 * 60_000;

/** The same for what a test looks at again and again. Vitest's own limit is a second, which a busy host may be away. */
const POLLS = { poll: { timeout: 60_000 } };

/**
 * Unit tests that put another module in place of one of ours. Each of them needs modules that nobody has loaded before.
 * The others share what a process has loaded: to load it again for each file took half of the time.
 */
const REPLACING = readdirSync(join(import.meta.dirname, 'test/unit'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test/unit', path))
  .filter((path) => /\bvi\.(?:do)?mock\(/i.test(readFileSync(join(import.meta.dirname, path), 'utf8')));

/**
 * A cell whose machines were kept from running has no verdict, so it is run again; each such test is named at the end of
 * `npm test`. A wrong verdict is never run again.
 */
const WHERE_VOID = { count: 2, condition: /void, the (machines were disturbed|container was starved)/ };

const UNIT = {
  setupFiles: ['test/fixtures/properties.ts'],
  maxWorkers: availableParallelism(),
  testTimeout: HANGS_MS * Number(process.env.WHODUNIT_FUZZ_FACTOR ?? '1'),
  hookTimeout: HANGS_MS,
  expect: POLLS,
  // Evidence is read and dropped all the time: with more room for what is young, they take a tenth less time.
  execArgv: ['--max-semi-space-size=128'],
};

/** Each of these takes minutes. Where one is the last to begin, the other processors have nothing to do meanwhile. */
const LONGEST = ['test/cli/crashes.test.ts', 'test/cli/sharding/slurm.test.ts'].map((path) =>
  join(import.meta.dirname, path),
);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.includes(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * unit touches nothing, cli runs the real command line with fake host tools, report opens reports in Chromium, lab boots
 * virtual machines; nightly boots
 * several clusters, one after the other, and takes most of an hour without KVM.
 */
export default defineConfig({
  test: {
    retry: 0,
    sequence: { sequencer: LongestFirst },
    // Where nothing else is said vitest keeps one processor free: on two that is one file after the other.
    projects: [
      {
        test: {
          ...UNIT,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: REPLACING,
          isolate: false,
        },
      },
      // `--project 'unit*'` has both.
      { test: { ...UNIT, name: 'unit-replacing', include: REPLACING } },
      {
        test: {
          name: 'cli',
          include: ['test/cli/**/*.test.ts'],
          // Each waits for the processes that it starts, for a third of its time without any work.
          maxWorkers: Math.ceil(availableParallelism() * 1.5),
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          expect: POLLS,
        },
      },
      {
        test: {
          name: 'report',
          include: ['test/report/**/*.test.ts'],
          maxWorkers: availableParallelism(),
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          expect: POLLS,
        },
      },
      {
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          fileParallelism: false,
          retry: WHERE_VOID,
          testTimeout: 60 * 60_000,
          hookTimeout: 60 * 60_000,
          expect: POLLS,
        },
      },
      {
        test: {
          name: 'nightly',
          include: ['test/nightly/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 2 * 60 * 60_000,
          hookTimeout: 4 * 60 * 60_000,
        },
      },
    ],
  },
});
