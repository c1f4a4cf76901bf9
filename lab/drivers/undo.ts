import type { Clock, Progress } from '../model/host/host.ts';

/** Takes something back. The signal fires when its time is up; it is never the signal that interrupted the work. */
type UndoAction = (signal: AbortSignal) => Promise<void>;

/** An action that did not succeed. */
interface UndoFailure {
  readonly title: string;
  readonly error: unknown;
}

/** What to take back when the work fails, in reverse order. */
export interface Undo {
  /** Registers an action BEFORE the step starts that it takes back. */
  register(title: string, action: UndoAction, options: { timeoutMs: number }): void;
  /**
   * Runs what is registered, last first, each within its own time; a failure never stops the rest. Returns all
   * failures and prints each; what failed is still leased, so `whodunit gc` will find it.
   */
  run(progress: Progress): Promise<UndoFailure[]>;
  /** Forgets everything: the work is whole. */
  disarm(): void;
}

interface Registered {
  readonly title: string;
  readonly action: UndoAction;
  readonly timeoutMs: number;
}

/** Builds an empty undo stack. */
export function createUndo(clock: Clock): Undo {
  let stack: Registered[] = [];
  return {
    register: (title, action, { timeoutMs }) => void stack.push({ title, action, timeoutMs }),
    disarm: () => {
      stack = [];
    },
    run: async (progress) => {
      const failures: UndoFailure[] = [];
      for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
        const { title } = step;
        const current = step;
        try {
          await progress.step(title, () => withinTime(current, clock));
        } catch (error) {
          failures.push({ title, error });
          progress.note(`not undone: ${title}: ${error instanceof Error ? error.message : String(error)}`);
          progress.note('  `npx whodunit gc` removes what is left');
        }
      }
      return failures;
    },
  };
}

/** Runs an action within its time. One that ignores its signal is not waited for. */
async function withinTime(step: Registered, clock: Clock): Promise<void> {
  const limit = new AbortController();
  const ended = new AbortController();
  const timeUp = clock.sleep(step.timeoutMs, ended.signal).then(
    () => {
      limit.abort();
      throw new Error(`did not end within ${step.timeoutMs / 1000} s`);
    },
    () => undefined, // ended in time
  );
  try {
    await Promise.race([step.action(limit.signal), timeUp.then(() => new Promise<void>(() => undefined))]);
  } finally {
    ended.abort();
    timeUp.catch(() => undefined); // the race has reported it already
  }
}
