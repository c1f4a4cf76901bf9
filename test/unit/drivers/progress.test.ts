import { describe, expect, it } from 'vitest';
import { createProgress, nameProgress } from '../../../lab/drivers/progress.ts';
import type { Clock } from '../../../lab/model/host.ts';

function display(isTerminal: boolean): {
  progress: ReturnType<typeof createProgress>;
  text: () => string;
  clock: { ms: number };
} {
  const clock = { ms: 0 };
  const written: string[] = [];
  const fake: Clock = { now: () => clock.ms, sleep: () => Promise.resolve() };
  const sink = { isTerminal, columns: () => 40, write: (text: string) => void written.push(text) };
  return { progress: createProgress(fake, sink), text: () => written.join(''), clock };
}

describe('progress', () => {
  it('is plain nested lines with times where there is no terminal', async () => {
    const { progress, text, clock } = display(false);
    await progress.step('world', async () => {
      await progress.step('boot', () => {
        clock.ms = 12_300;
        return Promise.resolve();
      });
      progress.note('node-1 answers');
    });
    expect(text().split('\n')).toEqual([
      '→ world',
      '  → boot',
      '  ✓ boot (12.3 s)',
      '  node-1 answers',
      '✓ world (12.3 s)',
      '',
    ]);
  });

  it('marks a step that ended without an error as its value says', async () => {
    const { progress, text } = display(false);
    const mark = (verdict: string): string => `✗ ${verdict}:`;
    await nameProgress(progress, 'v1').step('oom', () => Promise.resolve('inconclusive'), mark);
    expect(text().split('\n')[1]).toBe('✗ inconclusive: v1: oom (0.0 s)');
  });

  it('nests a step in the one that started it when several run at once', async () => {
    const { progress, text } = display(false);
    const world = (name: string): Promise<void> =>
      nameProgress(progress, name).step('up', () =>
        nameProgress(progress, name).step('boot', () => new Promise((resolve) => setImmediate(resolve))),
      );
    await Promise.all([world('a'), world('b')]);
    expect(text().split('\n')).toEqual([
      '→ a: up',
      '  → a: boot',
      '→ b: up',
      '  → b: boot',
      '  ✓ a: boot (0.0 s)',
      '✓ a: up (0.0 s)',
      '  ✓ b: boot (0.0 s)',
      '✓ b: up (0.0 s)',
      '',
    ]);
  });

  it('marks a step that failed and passes its error on', async () => {
    const { progress, text } = display(false);
    await expect(progress.step('boot', () => Promise.reject(new Error('no kernel')))).rejects.toThrow(
      'no kernel',
    );
    expect(text()).toContain('✗ boot (0.0 s)');
  });

  it('never writes more than one line of the terminal for a running step', async () => {
    const { progress, text } = display(true);
    await progress.step('a very long title of a step that goes on and on', (update) => {
      update('and\na detail of two lines');
      progress.note('note');
      return Promise.resolve();
    });
    // eslint-disable-next-line no-control-regex -- the escape that clears the line
    const lines = text().split(/\r\u001b\[2K|\n/);
    const live = lines.filter((line) => /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(line));
    expect(live.length).toBeGreaterThan(0);
    for (const line of live) expect(line.length).toBeLessThan(40);
  });
});
