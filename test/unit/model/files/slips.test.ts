import { expect, it } from 'vitest';
import { meantBy } from '../../../../lab/model/files/slips.ts';

it.each([
  ['5m', '300'],
  ['2 hours', '7200'],
  ['5 constructor', undefined],
  ['5valueof', undefined],
])('a time of %j in a field of seconds means %j', (value, meant) => {
  expect(meantBy('number', value, ['withinSeconds'])).toBe(meant);
});
