import { describe, expect, it } from 'vitest';
import { matchesSelector } from '../../../../lab/model/declared/selector.ts';

describe('a selector', () => {
  it.each([
    ['app=eater', true],
    ['app==eater,tier=x', true],
    ['app=eater,tier=y', false],
    ['app!=eater', false],
    ['other!=eater', true],
    ['app', true],
    ['!app', false],
    ['!other', true],
    ['app in (eater)', false],
    ['constructor', false],
    ['!constructor', true],
    ['__proto__', false],
    ['toString!=x', true],
  ])('%s matches: %s', (selector, matches) => {
    expect(matchesSelector(selector, { app: 'eater', tier: 'x' })).toBe(matches);
  });
});
