import { expect, it } from 'vitest';
import { warnAgain } from '../../../../lab/report/words/warn-again.ts';

it('quotes what a layer said without the head of its log line', () => {
  const before = 'I1128 10:33:50.845061     426 generic.go:356] "container finished" exitCode=137';
  const changes = [{ field: 'claim of kubelet', before, now: 'nothing' }];
  expect(warnAgain({ state: 'differs', changes })).toBe(
    'this result contradicts its evidence: claim of kubelet: "container finished" exitCode=137 -> nothing',
  );
});
