import type { Guest, Look, Probe } from '../../lab/model/host/host.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';

/**
 * A readiness condition of a node is data: what must hold, a script that prints what it sees and exits 0 when it holds,
 * and what a person should look at when it does not.
 */
export interface NodeProbe {
  readonly description: string;
  /** Shell script. Exit 0 = holds; exit 42 = can never hold; else not yet. Its last line is "last seen". */
  readonly script: string;
  readonly hint: string;
  readonly timeoutMs: number;
}

/** Exit status with which a probe says that waiting is useless. */
export const NEVER = 42;

/** The probe of one node. What it finds is the last line that its script printed. */
export function probeNode(guest: Guest, probe: NodeProbe): Probe<string> {
  const look = async (): Promise<Look<string>> => {
    const result = await guest.script(probe.script, { timeoutMs: TIME_LIMITS.cluster.probeScript.ms });
    const seen = lastLine(result.stdout) || lastLine(result.stderr) || `exit ${result.status}`;
    if (result.status === 0) return { done: true, value: seen };
    return { done: false, seen, ...(result.status === NEVER ? { impossible: true } : {}) };
  };
  return { title: `${guest.name}: ${probe.description}`, look, tryNext: probe.hint };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
