import type { Attribution } from '../../model/saved/formats.ts';
import { KILLERS, type Killer } from '../../model/killers/killers.ts';
import { HYPOTHESES } from './hypothesis-table.ts';
import type { Hypothesis } from './hypothesis.ts';

/**
 * Other killers than the named one, the nearest first: those that the verdict could not exclude, then those whose
 * hypothesis needs the same last act as that of the named one, then all others. Within each, the order of the table.
 */
export function listSuspects({ killer, open = [] }: Pick<Attribution, 'killer' | 'open'>): Killer[] {
  const isOpen = new Set(open.map(({ what }) => what));
  const named = HYPOTHESES.filter(({ killers }) => killers.includes(killer));
  const acts = new Set(named.flatMap((hypothesis) => hypothesis.acts));
  const distance = ({ what, acts: own }: Hypothesis): number => {
    if (isOpen.has(what)) return 0;
    return own.some((act) => acts.has(act)) ? 1 : 2;
  };
  const near = HYPOTHESES.toSorted((one, other) => distance(one) - distance(other));
  const killers = new Set([...near.flatMap((hypothesis) => hypothesis.killers), ...KILLERS]);
  return [...killers].filter((one) => one !== killer && one !== 'none' && one !== 'unknown');
}
