import { setImmediate as nextTurn } from 'node:timers/promises';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Says that something of the host is held; what it returns says that it is given back. */
export type Hold = () => () => Promise<void>;

/**
 * Decides what an interrupt (SIGINT, SIGTERM) does. While nothing of the host is held it ends the process at once: that
 * is what the kernel does with a signal for which there is no handler, in the middle of synchronous work too. While
 * something is held, `answer` is called in place of that, so that the work can be undone.
 */
export function createHold(answer: (signal: NodeJS.Signals) => void): Hold {
  let held = 0;
  return () => {
    if (held === 0) for (const name of SIGNALS) process.on(name, answer);
    held += 1;
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      // A signal that came during synchronous work is answered in the next turn, and would be lost without a handler.
      await nextTurn();
      held -= 1;
      if (held === 0) for (const name of SIGNALS) process.off(name, answer);
    };
  };
}
