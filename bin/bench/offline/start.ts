import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from '../numbers.ts';

/** What a verb may take in addition to twice the start of a bare Node. */
const OWN_MS = 300;
const RUNS = 10;

/** Middle wall time of a few runs of Node, in milliseconds. */
function measure(words: readonly string[]): number {
  const times = Array.from({ length: RUNS }, () => {
    const startedAt = performance.now();
    const { status } = spawnSync(process.execPath, [...words], { stdio: 'ignore' });
    if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}`);
    return performance.now() - startedAt;
  });
  return median(times);
}

/** How long the command line takes to answer, against a Node that does nothing. */
export function benchmarkStart(projectDir: string, print: (line: string) => void): void {
  const program = join(projectDir, 'bin/whodunit.mjs');
  const bare = measure(['-e', '0']);
  for (const verb of ['help', 'killers', 'list']) {
    const ms = measure([program, verb]);
    const limit = 2 * bare + OWN_MS;
    print(
      `${ms <= limit ? 'within' : 'ABOVE'} ${Math.round(limit)} ms  ${verb}: ${Math.round(ms)} ms (node -e 0: ${Math.round(bare)} ms)`,
    );
  }
}
