import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress } from '../../../../lab/drivers/progress/progress.ts';
import { hasColours, isLive } from '../../../../lab/drivers/progress/progress-display.ts';
import type { Progress } from '../../../../lab/model/host/host.ts';

/** Progress in a log, with a clock that only the test moves. */
function openLog(env: NodeJS.ProcessEnv = {}): { progress: Progress; lines: () => string[] } {
  const written: string[] = [];
  const sink = { isTTY: false, write: (text: string) => written.push(text) > 0 };
  const clock = { now: () => Date.now(), elapsed: () => Date.now(), sleep: () => Promise.resolve() };
  return {
    progress: createProgress(clock, sink, env),
    lines: () => written.join('').split('\n').slice(0, -1),
  };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe('progress in a log', () => {
  it('is plain nested lines with times', async () => {
    const { progress, lines } = openLog();
    await progress.step('world', async () => {
      await progress.step('boot', () => {
        vi.setSystemTime(12_300);
        return Promise.resolve();
      });
      progress.note('node-1 answers');
    });
    expect(lines()).toEqual([
      '→ world',
      '  → boot',
      '  ✓ boot (12.3 s)',
      '  node-1 answers',
      '✓ world (12.3 s)',
    ]);
  });

  it('marks a step that ended without an error as its value says', async () => {
    const { progress, lines } = openLog();
    const mark = (verdict: string): string => `✗ ${verdict}:`;
    await progress.step('oom', () => Promise.resolve('inconclusive'), { mark });
    expect(lines()[1]).toBe('✗ inconclusive: oom (0.0 s)');
  });

  it('marks a step that failed and passes its error on', async () => {
    const { progress, lines } = openLog();
    const failure = Promise.reject(new Error('no kernel'));
    await expect(progress.step('boot', () => failure)).rejects.toThrow('no kernel');
    expect(lines()).toEqual(['→ boot', '✗ boot (0.0 s)']);
  });

  it('nests a step in the one that started it and tells its world, when several run at once', async () => {
    const { progress, lines } = openLog();
    let boots = 0;
    const world = (name: string): Promise<void> =>
      progress.step(
        `world ${name}`,
        () => progress.step('boot', () => vi.waitUntil(() => (boots += 1) > 2)).then(() => undefined),
        { scope: name },
      );
    const both = Promise.all([world('a'), world('b')]);
    await vi.advanceTimersByTimeAsync(1000);
    await both;
    expect(lines().slice(0, 4)).toEqual(['→ world a', '  → a: boot', '→ world b', '  → b: boot']);
    expect(lines().slice(4).sort()).toEqual([
      expect.stringContaining('  ✓ a: boot'),
      expect.stringContaining('  ✓ b: boot'),
      expect.stringContaining('✓ world a'),
      expect.stringContaining('✓ world b'),
    ]);
  });

  it('says every half a minute what runs, how far it is and what is left', async () => {
    const { progress, lines } = openLog();
    let end = (): void => undefined;
    const build = progress.step(
      'run',
      (update) => {
        update('17/54 cells');
        return progress.step('kubernetes', (say) => {
          say('package 412: k8s.io/api/core/v1');
          return new Promise<void>((resolve) => (end = resolve));
        });
      },
      { remaining: (now) => 200_000 - now },
    );
    await vi.advanceTimersByTimeAsync(29_000);
    expect(lines()).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(32_000);
    const kubernetes = 'package 412: k8s.io/api/core/v1';
    expect(lines().slice(2)).toEqual([
      `… run (30 s, about 2m 50s left) 17/54 cells > kubernetes (30 s) ${kubernetes}`,
      `… run (1m 00s, about 2m 20s left) 17/54 cells > kubernetes (1m 00s) ${kubernetes}`,
    ]);
    progress.note('a line of its own');
    await vi.advanceTimersByTimeAsync(29_000);
    expect(lines()).toHaveLength(5);
    end();
    await build;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(lines()).toHaveLength(7);
  });

  it('has colours when it is told to', async () => {
    const { progress, lines } = openLog({ FORCE_COLOR: '1' });
    await progress.step('boot', () => Promise.resolve());
    expect(lines()[1]).toBe('\u001b[32m✓\u001b[39m boot \u001b[2m(0.0 s)\u001b[22m');
  });
});

describe('the kind of display', () => {
  const terminal = { isTTY: true, write: () => true };
  const file = { isTTY: false, write: () => true };

  it.each([
    [terminal, {}, true],
    [terminal, { CI: 'true' }, false],
    [terminal, { CI: '' }, true],
    [terminal, { TERM: 'dumb' }, false],
    [file, {}, false],
  ])('%o with %o draws lines again: %s', (sink, env, expected) => {
    expect(isLive(sink as never, env)).toBe(expected);
  });

  it.each([
    [terminal, {}, true],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [terminal, { TERM: 'dumb' }, false],
    [terminal, { FORCE_COLOR: '0' }, false],
    [file, {}, false],
    [file, { FORCE_COLOR: '1' }, true],
    [file, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('%o with %o has colours: %s', (sink, env, expected) => {
    expect(hasColours(sink as never, env)).toBe(expected);
  });
});
