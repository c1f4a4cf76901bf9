import { expect, it } from 'vitest';
import { warnAgain } from '../../../../lab/report/words/warn-again.ts';

it('quotes what a layer said without the head of its log line', () => {
  const before = 'I1128 10:33:50.845061     426 generic.go:356] "container finished" exitCode=137';
  const changes = [{ field: 'claim of kubelet', before, now: 'nothing' }];
  expect(warnAgain({ state: 'differs', changes })).toBe(
    'this result contradicts its evidence: claim of kubelet: "container finished" exitCode=137 -> nothing',
  );
});

const change = (field: string): { field: string; before: string; now: string } => ({
  field,
  before: 'a',
  now: 'b',
});

it.each(['verdict', 'killer', 'confidence', 'victim', 'measure zombies', 'shares of the reason', 'proof'])(
  'says that another %s contradicts the evidence, whatever else differs',
  (field) => {
    const changes = [change('page'), change(field)];
    expect(warnAgain({ state: 'differs', changes })).toMatch(
      /^this result contradicts its evidence: page: a/,
    );
  },
);

it.each([
  ['page', 'a', 'b'],
  ['claim of api', 'a (right)', 'b (right)'],
])('does not call other words of the %s a contradiction', (field, before, now) => {
  expect(warnAgain({ state: 'differs', changes: [{ field, before, now }] })).toBe(
    `judged again, verdict and killer are the same, and other words are not: ${field}: ${before} -> ${now}; another version of whodunit wrote this result, or somebody changed it`,
  );
});

it.each([
  ['a (right)', 'a (wrong)'],
  ['a (right)', 'none'],
])('calls a claim that says otherwise one: %s, now %s', (before, now) => {
  const changes = [{ field: 'claim of api', before, now }];
  expect(warnAgain({ state: 'differs', changes })).toMatch(/^this result contradicts its evidence/);
});
