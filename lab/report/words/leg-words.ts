import type { Investigated, LegKind, PlannedLeg } from '../../model/saved/investigate.ts';

const NAMES: Readonly<Record<LegKind, string>> = {
  alone: 'by itself',
  world: 'in a fresh world',
  versions: 'last good programs',
  scenario: 'last good scenario',
};

/** Returns the name of a way to run a failed cell again: `last good programs (containerd 2.1.4 is 1.7.27)`. */
export function nameLeg({ kind, changes }: Pick<PlannedLeg, 'kind' | 'changes'>): string {
  return kind === 'versions' && changes.length > 0 ? `${NAMES[kind]} (${changes.join(', ')})` : NAMES[kind];
}

/** Returns the result of a leg: `2 of 2 passed`, or why it was not run. */
export function describeLeg({ passed, failed, leftOut, undecided }: Investigated['legs'][number]): string {
  if (leftOut !== undefined) return `left out: ${leftOut}`;
  const unobserved = undecided.length === 0 ? [] : [`no observation: ${undecided.join('; ')}`];
  const runs = passed + failed === 0 ? [] : [`${passed} of ${passed + failed} passed`];
  return [...runs, ...unobserved].join('; ') || 'not run';
}
