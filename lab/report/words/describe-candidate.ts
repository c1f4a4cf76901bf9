import type { TriedCandidate } from '../../model/saved/case.ts';

/** Says in one line whether a candidate has reproduced the reported death, or the bug where nobody dies, and why. */
export function describeTriedCandidate(tried: TriedCandidate): string {
  const { outcome, because, address, candidate, bugShown } = tried;
  const where = `${candidate} on ${address}`;
  if (outcome === 'reproduced')
    return `your ${bugShown === undefined ? 'death' : 'bug'}, reproduced by ${where}: ${because}`;
  return bugShown === undefined
    ? `not reproduced, because ${because} (${where})`
    : `the bug is reproduced by ${where}: ${bugShown}. Whether it is yours is not shown: ${because}`;
}
