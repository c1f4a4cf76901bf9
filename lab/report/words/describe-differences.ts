import type { DifferenceResult } from '../../model/saved/search.ts';

/** The smallest set of differences in words: `containerd 1.6.20 → 2.1.4 turns it, only with cgroup v1 → v2`. */
export function describeDifferences({ differences, outcome }: DifferenceResult): string {
  if (outcome === 'ends-alike') return 'the two cells do not end differently often enough';
  if (outcome === 'open') return 'more runs are needed';
  const needed = differences.filter(({ isNeeded }) => isNeeded === true);
  const spell = ({ name, red, green }: (typeof differences)[number]): string => `${name} ${green} → ${red}`;
  const [first, ...others] = needed.map(spell);
  if (first === undefined) return 'no difference turns it';
  const turns = `${first} turns it${others.length === 0 ? '' : `, only with ${others.join(' and ')}`}`;
  const unsure = needed.filter(({ isUnsure }) => isUnsure === true);
  if (unsure.length > 0)
    return `${turns}; whether ${unsure.map(({ name }) => name).join(' and ')} is needed could not be observed`;
  const other = needed.filter(({ isNecessary }) => isNecessary !== true);
  if (other.length === 0) return `${turns}; without any of it the red cell is green`;
  return `${turns}; the red cell is not green without ${other.map(({ name }) => name).join(' or ')}: there is another way to red`;
}
