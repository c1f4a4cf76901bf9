import type { TriedCandidate } from '../../model/saved/case.ts';

/** Says in one line whether a candidate has reproduced the reported death, and why. */
export function describeTriedCandidate({ outcome, because, address, candidate }: TriedCandidate): string {
  const where = `${candidate} on ${address}`;
  return outcome === 'reproduced'
    ? `your death, reproduced by ${where}: ${because}`
    : `not reproduced, because ${because} (${where})`;
}
