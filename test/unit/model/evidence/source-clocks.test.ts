import { expect, it } from 'vitest';
import { clockOf } from '../../../../lab/model/evidence/source-clocks.ts';

it.each(['constructor', 'toString', '__proto__', 'unheard-of'])(
  'a source that is called %s has the clock of the lab',
  (source) => {
    expect(clockOf(source)).toEqual(clockOf('stimulus'));
  },
);
