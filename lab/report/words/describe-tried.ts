import type { TriedCandidate } from '../../model/saved/case.ts';

/** What came of a candidate, in one line. */
export function describeTried({ outcome, because, address, candidate }: TriedCandidate): string {
  const said = outcome === 'reproduced' ? 'your death, reproduced' : 'not reproduced, because';
  return `${said}${outcome === 'reproduced' ? ' by' : ''} ${outcome === 'reproduced' ? `${candidate} on ${address}: ${because}` : `${because} (${candidate} on ${address})`}`;
}
