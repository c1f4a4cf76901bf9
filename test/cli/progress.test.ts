import { spawn } from 'node:child_process';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { describe, expect, it, vi } from 'vitest';
import { PROJECT } from './support/run-cli.ts';

const PROGRAM = join(PROJECT, 'test/fixtures/progress/two-worlds.ts');

/** What a person sees: the screen of a terminal while the program runs, and when it has ended. */
interface Screens {
  readonly during: string[];
  readonly after: string[];
  /** All that was written, with its escapes. */
  readonly written: string;
}

/**
 * Runs the program on a pseudo-terminal of script(1), with a terminal emulator behind it, and ends it when the screen
 * shows a text.
 */
async function watch(columns: number, awaited: string, env: NodeJS.ProcessEnv = {}): Promise<Screens> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 24, allowProposedApi: true });
  const command = `stty cols ${columns} rows 24; exec '${process.execPath}' --import tsx '${PROGRAM}'`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: PROJECT,
    env: {
      ...process.env,
      TERM: 'xterm',
      CI: undefined,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      ...env,
    },
  });
  let written = '';
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString();
    terminal.write(chunk);
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const hangs = { timeout: 170_000 };
  let during: string[];
  try {
    await vi.waitUntil(() => screenOf(terminal).join('\n').includes(awaited), hangs);
    during = screenOf(terminal);
  } finally {
    // End of input, as somebody types it.
    child.stdin.end('\u0004');
    await ended;
  }
  await vi.waitUntil(() => screenOf(terminal).join('\n').includes('result'), hangs);
  return { during, after: screenOf(terminal), written };
}

function screenOf(terminal: xterm.Terminal): string[] {
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) =>
    active.getLine(row)?.translateToString(true),
  );
  return lines.map((line) => (line ?? '').replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '*')).filter((line) => line !== '');
}

const TIMES = /\d+(\.\d)? s/g;
const plain = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(TIMES, '0 s'));

const AFTER = [
  '    ✓ default: restoring world default (0 s)',
  '    ✓ default: oom-single-container (0 s)',
  '  ✓ world default (0 s)',
  '      ✓ trixie: kubernetes 1.34.1 from gomod (nothing like it is in the cache) (0 s)',
  '    ✓ trixie: components (0 s)',
  '  ✓ world trixie_runsc@20250101+systemd-cgroup (0 s)',
  '✓ run (0 s)',
  'result',
];

describe('progress on a real terminal', () => {
  it('has a line for the run, for each world and for what runs in it, and leaves only what ended', async () => {
    const { during, after } = await watch(200, 'kuberuntime');
    expect(plain(during)).toEqual([
      '    ✓ default: restoring world default (0 s)',
      '* run (0 s, about 9m 00s left)  17/54 cells, 1 failed',
      '  * world default (0 s)  2/7',
      '    * oom-single-container (0 s, about 0 s left)  waiting for the end of eater',
      '  * world trixie_runsc@20250101+systemd-cgroup (0 s)  0/3',
      '    * components (0 s)',
      '      * kubernetes 1.34.1 from gomod (nothing like it is in the cache) (0 s)  package 412: k8s.io/kubernetes/pkg/kubelet/ kuberuntime',
    ]);
    expect(plain(after).toSorted()).toEqual(AFTER.toSorted());
  });

  it('keeps each of them on one line of 80 columns', async () => {
    const { during } = await watch(80, 'package 412');
    for (const line of during) expect(line.length).toBeLessThan(80);
    expect(plain(during).at(-1)).toMatch(
      /^ {6}\* kubernetes 1\.34\.1 from .*… \(0 s\) {2}package 412: k8s\.io.*…$/,
    );
    expect(during).toHaveLength(7);
  });

  it('is coloured, unless NO_COLOR says otherwise', async () => {
    const coloured = await watch(80, 'package 412');
    expect(coloured.written).toContain('\u001b[32m✓');
    const sober = await watch(80, 'package 412', { NO_COLOR: '1' });
    expect(sober.written).not.toContain('\u001b[32m');
    expect(sober.during).toHaveLength(7);
  });

  it('is plain lines in the log of a CI system', async () => {
    const { during, written } = await watch(80, 'kubernetes 1.34.1', { CI: 'true' });
    expect(during[0]).toBe('→ run');
    expect(written).not.toContain('\u001b[2K');
    expect(written).not.toContain('\u001b[1A');
  });
});
