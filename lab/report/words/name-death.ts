import type { AutopsyDeath } from '../../model/saved/autopsy.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import { adviseOn } from './advise.ts';

/** `default/web-7d9/server, attempt 2` */
export function nameDeath({ pod, container, attempt, attribution }: AutopsyDeath): string {
  if (pod === undefined) return attribution.victim;
  return `${pod}${container === undefined ? '' : `/${container}`}${attempt === undefined ? '' : `, attempt ${attempt}`}`;
}

/** What the reader may do about a death that no lab staged: there is no cell to run again. */
export function adviseOnDeath(attribution: Attribution): string {
  if (attribution.killer !== 'unknown') return adviseOn(attribution);
  return 'collect what would tell (below), and give it with these files';
}
