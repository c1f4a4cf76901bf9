import { describe, expect, it } from 'vitest';
import { describeOutcome } from '../../../../lab/model/saved/describe-outcome.ts';

describe('an outcome in words', () => {
  it.each(['constructor', 'toString', '__proto__', '__defineGetter__'])(
    'has a field and a value that a stranger calls %s as they are',
    (word) => {
      const outcome = Object.fromEntries([
        ['killer', 'memcg-oom'],
        ['then', word],
        [word, 'x'],
      ]);
      expect(describeOutcome(outcome)).toBe(`memcg-oom, then ${word}, ${word} x`);
    },
  );
});
