import type { Bug } from '../../model/declared/bug.ts';
import type { CheckedProof } from '../../model/saved/checked.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { Compared, Overrides, ReproOutcome } from '../../model/saved/repro.ts';

/** One cell of a reproduction. */
export interface ReproCell {
  readonly role: 'affected' | 'fixed' | 'control';
  readonly cell: CellResult;
  /** Its world as it was read back: versions and cgroup settings by name; empty when it was not. */
  readonly facts: Readonly<Record<string, string>>;
  /** What `whodunit check` says of its proof; absent where it has no evidence. */
  readonly checked?: CheckedProof | undefined;
}

/** All parts of a report about a bug. */
export interface ReproCase {
  /** The bug, with its sides as this run has them. */
  readonly bug: Bug;
  /** The values that replace those of the bug, by axis or parameter, for each side. */
  readonly overrides: Overrides;
  /** How often each of the two sides was run. */
  readonly repeat: number;
  readonly outcome: ReproOutcome;
  /** The outcome in one sentence. */
  readonly note: string;
  /** What the bug compares of its affected and its fixed cell. */
  readonly compared: readonly Compared[];
  /** Affected first, then fixed, then the controls. */
  readonly cells: readonly ReproCell[];
  /** Undefined when a rule refused a cell, and nothing was started. */
  readonly run: Pick<RunResult, 'run' | 'startedAt' | 'accelerator'> | undefined;
}

/** Names of all facts that any cell has: first the stack from the kernel upwards, then the others by name. */
export function factNames(cells: readonly Pick<ReproCell, 'facts'>[]): string[] {
  const order = ['kernel', 'systemd', 'kubelet', 'containerd', 'runc', 'crun', 'youki', 'runsc'];
  const names = new Set(cells.flatMap(({ facts }) => Object.keys(facts)));
  const others = [...names].filter((name) => !order.includes(name)).sort();
  return [...order.filter((name) => names.has(name)), ...others];
}

/** Names of all measures that any cell has. */
export function measureNames(cells: readonly Pick<ReproCell, 'cell'>[]): string[] {
  return [...new Set(cells.flatMap(({ cell }) => (cell.measures ?? []).map(({ measure }) => measure)))];
}

/**
 * What was asked for in place of what the bug says: `affected kubernetes=1.36, fixed os=sid`; undefined for nothing.
 */
export function describeOverrides({ overrides }: Pick<ReproCase, 'overrides'>): string | undefined {
  const sides = listSides(overrides).map(([side, words]) => `${side} ${words.join(' ')}`);
  return sides.length === 0 ? undefined : sides.join(', ');
}

/** Returns the command that repeats the reproduction, without `npx whodunit`. */
export function reproCommand({
  bug,
  overrides,
  repeat,
}: Pick<ReproCase, 'bug' | 'overrides' | 'repeat'>): string {
  const flags = [
    ...listSides(overrides).map(([side, words]) => `--${side} ${words.join(' ')}`),
    ...(repeat === bug.repeats ? [] : [`--repeat ${repeat}`]),
  ];
  return ['repro', bug.id, ...flags].join(' ');
}

function listSides(overrides: ReproCase['overrides']): [string, string[]][] {
  return (['affected', 'fixed'] as const).flatMap((side): [string, string[]][] => {
    const words = Object.entries(overrides[side]).map(([name, value]) => `${name}=${value}`);
    return words.length === 0 ? [] : [[side, words]];
  });
}
