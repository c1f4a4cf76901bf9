import type { Bug } from '../model/bug.ts';
import type { CellResult, RunResult } from '../model/formats.ts';
import type { ReproOutcome } from '../model/repro.ts';

/** One cell of a reproduction. */
export interface ReproCell {
  readonly role: 'affected' | 'fixed' | 'control';
  readonly cell: CellResult;
  /** Its world as it was read back: versions and cgroup settings by name; empty when it was not. */
  readonly facts: Readonly<Record<string, string>>;
}

/** All parts of a report about a bug. */
export interface ReproCase {
  readonly bug: Bug;
  readonly outcome: ReproOutcome;
  /** The outcome in one sentence. */
  readonly note: string;
  /** Affected first, then fixed, then the controls. */
  readonly cells: readonly ReproCell[];
  /** Undefined when a rule refused a cell, and nothing was started. */
  readonly run: Pick<RunResult, 'run' | 'startedAt' | 'accelerator'> | undefined;
}

/** Names of all facts that any cell has: first the stack from the kernel upwards, then the others by name. */
export function factNames(cells: readonly ReproCell[]): string[] {
  const order = ['kernel', 'systemd', 'kubelet', 'containerd', 'runc', 'runsc'];
  const names = new Set(cells.flatMap(({ facts }) => Object.keys(facts)));
  const others = [...names].filter((name) => !order.includes(name)).sort();
  return [...order.filter((name) => names.has(name)), ...others];
}
