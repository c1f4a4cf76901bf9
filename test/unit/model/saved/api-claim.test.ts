import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeNoToldEnd, describeToldEnd, readApiClaim } from '../../../../lab/model/saved/api-claim.ts';

const reasons = fc.option(fc.constantFrom('OOMKilled', 'Error', 'Completed', 'StartError', 'a, exit 3'), {
  nil: undefined,
});
const exitCodes = fc.integer({ min: -1, max: 255 });

describe('the claim of the API', () => {
  it('is read as it was written, of an end', () => {
    fc.assert(
      fc.property(reasons, exitCodes, (reason, exitCode) => {
        expect(readApiClaim(describeToldEnd({ reason, exitCode }))).toEqual({ reason, exitCode });
      }),
    );
  });

  it('is read as it was written where the API saw no end, if it says why', () => {
    const states = fc.constantFrom('running', 'waiting', 'terminated');
    const counts = fc.nat(1000);
    fc.assert(
      fc.property(
        states,
        reasons,
        fc.option(exitCodes, { nil: undefined }),
        counts,
        (state, reason, exitCode, restartCount) => {
          fc.pre(reason !== undefined);
          const says = describeNoToldEnd({ state, reason, exitCode, restartCount });
          expect(readApiClaim(says)).toEqual({ reason, exitCode });
        },
      ),
    );
  });

  it.each(['it was not read', 'no such container', 'running, 0 restarts'])('says nothing: %s', (says) => {
    expect(readApiClaim(says)).toBeUndefined();
  });
});
