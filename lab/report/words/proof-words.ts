import type { ProofConclusion, ProofArm, ProveResult } from '../../model/saved/prove.ts';

const NAMES: Readonly<Record<ProofConclusion, string>> = {
  confirmed: 'confirmed by experiment',
  refuted: 'refuted by experiment',
  'not-settled': 'not settled by experiment',
  'no-intervention': 'no experiment can tell',
};

/** Returns the conclusion of an experiment: `confirmed by experiment (N = 9)`. */
export function nameConclusion({ conclusion, runs }: Pick<ProveResult, 'conclusion' | 'runs'>): string {
  return runs === 0 ? NAMES[conclusion] : `${NAMES[conclusion]} (N = ${runs})`;
}

/** Returns the name of one of the ways in which a death is staged again. */
export function describeArm({ kind, killer = 'unknown' }: ProofArm): string {
  switch (kind) {
    case 'as-it-was':
      return 'as it was';
    case 'without-cause':
      return `without ${killer}`;
    case 'without-innocent':
      return `without ${killer} (innocent)`;
  }
}
