import type { TriedCandidate } from '../../model/saved/case.ts';

/** What came of a candidate, in one line. */
export function describeTried({ outcome, because, address, candidate }: TriedCandidate): string {
  const where = `${candidate} on ${address}`;
  return outcome === 'reproduced'
    ? `your death, reproduced by ${where}: ${because}`
    : `not reproduced, because ${because} (${where})`;
}
