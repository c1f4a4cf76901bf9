import type { Guest, Look } from '../../lab/model/host.ts';

/**
 * A readiness condition is data: what must hold, a script that prints what it sees and exits 0 when it holds,
 * and what a person should look at when it does not.
 */
export interface Probe {
  readonly name: string;
  readonly description: string;
  /** Shell script. Exit 0 = holds; exit 42 = can never hold; else not yet. Its last line is "last seen". */
  readonly script: string;
  readonly hint: string;
  readonly timeoutMs: number;
  /** A probe that is not fatal is reported and passed over. */
  readonly fatal: boolean;
}

/** Exit status by which a probe says that waiting is useless. */
export const NEVER = 42;

/** One look at a probe. */
export async function lookAtProbe(guest: Guest, probe: Probe): Promise<Look<string>> {
  const result = await guest.script(probe.script, { timeoutMs: 60_000 });
  const seen = lastLine(result.stdout) || lastLine(result.stderr) || `exit ${result.status}`;
  if (result.status === 0) return { done: true, value: seen };
  return { done: false, seen, ...(result.status === NEVER ? { impossible: true } : {}) };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
