import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lab/drivers/clock.ts';
import { createUndo } from '../../../lab/drivers/undo.ts';
import { quietProgress } from '../../quiet-host.ts';

describe('the undo stack', () => {
  it('takes back in reverse order, goes on after a failure, and returns every failure', async () => {
    const undo = createUndo(systemClock);
    const done: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      undo.register(
        name,
        () => {
          done.push(name);
          return name === 'second' ? Promise.reject(new Error('stuck')) : Promise.resolve();
        },
        { timeoutMs: 1000 },
      );
    }
    const failures = await undo.run(quietProgress);
    expect(done).toEqual(['third', 'second', 'first']);
    expect(failures).toMatchObject([{ title: 'second', error: { message: 'stuck' } }]);
    expect(await undo.run(quietProgress)).toEqual([]);
    expect(done).toHaveLength(3);
  });

  it('gives each action its own time, tells it when that is up, and does not wait for one that does not listen', async () => {
    const undo = createUndo(systemClock);
    let told = false;
    let isNextRun = false;
    undo.register('next', () => Promise.resolve(void (isNextRun = true)), { timeoutMs: 1000 });
    undo.register(
      'deaf',
      (signal) => {
        signal.addEventListener('abort', () => (told = true));
        return new Promise(() => undefined);
      },
      { timeoutMs: 20 },
    );
    const failures = await undo.run(quietProgress);
    expect(failures).toMatchObject([{ title: 'deaf', error: { message: 'did not end within 0.02 s' } }]);
    expect([told, isNextRun]).toEqual([true, true]);
  });

  it('does nothing once it is disarmed', async () => {
    const undo = createUndo(systemClock);
    undo.register('never', () => Promise.reject(new Error('was run')), { timeoutMs: 1000 });
    undo.disarm();
    expect(await undo.run(quietProgress)).toEqual([]);
  });
});
