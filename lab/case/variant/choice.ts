import type { Axis } from '../../model/axes/axes.ts';
import type { Components } from '../../model/components/components.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { CaseFact, Distance, FactName } from '../../model/saved/case.ts';

/** What can be built. */
export interface Buildable {
  readonly matrix: Matrix;
  readonly catalogue: Components;
}

/** What one part of a report says of a variant. */
export interface Choice {
  readonly values: Partial<Record<Axis, string>>;
  readonly distances: readonly Distance[];
}

/** A version with all of its numbers before one that names a series of releases: `1.1.12` before `1.0`. */
export function exactFirst(facts: readonly CaseFact[]): CaseFact[] {
  const isExact = ({ value }: CaseFact): boolean => /^\d+\.\d+\.\d+/.test(value);
  return [...facts.filter(isExact), ...facts.filter((fact) => !isExact(fact))];
}

/** The facts of one name that speak of what was affected: what was said before what was inferred. */
export function factsOf(facts: readonly CaseFact[], name: FactName): CaseFact[] {
  const own = facts.filter((fact) => fact.name === name);
  return [...own.filter(({ role }) => role === 'affected'), ...own.filter(({ role }) => role === 'inferred')];
}
