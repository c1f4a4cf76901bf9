import type { AutopsyDeath } from '../../model/saved/autopsy.ts';

/** `default/web-7d9/server, attempt 2` */
export function nameDeath({ pod, container, attempt, attribution }: AutopsyDeath): string {
  if (pod === undefined) return attribution.victim;
  return `${pod}${container === undefined ? '' : `/${container}`}${attempt === undefined ? '' : `, attempt ${attempt}`}`;
}
