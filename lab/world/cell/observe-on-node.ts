import type { Guest, Host, Look, Probe } from '../../model/host/host.ts';
import type { Scenario } from '../../model/declared/scenario.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { shellQuote } from '../../model/text/shell.ts';

/** Each look costs a node that is busy enough as it is. */
const LOOK_MS = 2_000;

/**
 * Watches a victim whose API is gone, until it was started again or the time is up. The kubelet begins a file of its own for
 * each attempt of a container: `/var/log/pods/<namespace>_<pod>_<uid>/<container>/<attempt>.log`.
 *
 * @param longestMs how long that is, in milliseconds.
 * @returns why the watching ended, for the event log.
 */
export async function observeOnNode(
  host: Host,
  guest: Guest,
  { victim }: Pick<Scenario, 'victim'>,
  longestMs: number,
): Promise<string> {
  const startedAt = host.clock.elapsed();
  const { namespace, onNode = '', container } = victim;
  const script = `ls /var/log/pods/${shellQuote(`${namespace}_${onNode}_`)}*/${shellQuote(container)} 2> /dev/null || true`;
  const again: Probe<string> = {
    title: `${container} of ${onNode} to be started again`,
    look: async (): Promise<Look<string>> => {
      const { stdout } = await guest.script(script, { timeoutMs: TIME_LIMITS.cell.question.ms });
      const attempt = newestAttempt(stdout);
      if (attempt > 0) return { done: true, value: `it died and was started again: attempt ${attempt}` };
      const seen = attempt === 0 ? 'its first attempt' : 'no log of it';
      if (host.clock.elapsed() - startedAt >= longestMs) return { done: true, value: `time is up; ${seen}` };
      return { done: false, seen };
    },
  };
  return host.waitFor(again, {
    timeoutMs: longestMs + TIME_LIMITS.cell.lastLook.ms,
    intervalMs: LOOK_MS,
  });
}

/** -1 where there is none. A log that was rotated has more than a number in its name: `0.log.20260101-000000`. */
function newestAttempt(names: string): number {
  return Math.max(-1, ...[...names.matchAll(/^(\d+)\.log/gm)].map(([, attempt]) => Number(attempt)));
}
