import { expect, it } from 'vitest';
import { warnAgain } from '../../../../lab/report/words/warn-again.ts';

it('quotes what a layer said without the head of its log line', () => {
  const before = 'I1128 10:33:50.845061     426 generic.go:356] "container finished" exitCode=137';
  const changes = [{ field: 'claim of kubelet', before, now: 'nothing' }];
  expect(warnAgain({ state: 'differs', changes })).toContain(
    ': claim of kubelet: "container finished" exitCode=137 -> nothing',
  );
});

const change = (field: string): { field: string; before: string; now: string } => ({
  field,
  before: 'a',
  now: 'b',
});

it.each(['verdict', 'killer', 'confidence', 'victim', 'measure zombies', 'shares of the reason'])(
  'says that another %s contradicts the evidence, whatever else differs',
  (field) => {
    const changes = [change('page'), change(field)];
    expect(warnAgain({ state: 'differs', changes })).toMatch(
      /^this result contradicts its evidence: page: a/,
    );
  },
);

it.each(['page', 'proof', 'claim of api'])('does not call other words of the %s a contradiction', (field) => {
  expect(warnAgain({ state: 'differs', changes: [change(field)] })).toBe(
    `judged again, verdict and killer are the same, and other words are not: ${field}: a -> b; another version of whodunit wrote this result, or somebody changed it`,
  );
});
