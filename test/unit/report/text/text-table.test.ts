import { describe, expect, it } from 'vitest';
import { textTable, wrapError, wrapText } from '../../../../lab/report/text/text-table.ts';

describe('text for a terminal', () => {
  it('is aligned in columns, without blanks at the end', () => {
    expect(
      textTable([
        ['a', 'b'],
        ['long', ''],
      ]),
    ).toEqual(['a     b', 'long']);
  });

  it('is broken at blanks; a longer word stands alone', () => {
    expect(wrapText('one two three-and-more four', 8)).toEqual(['one two', 'three-and-more', 'four']);
  });

  it('of an error is broken with an indent, but for what is copied', () => {
    const error = [
      'error LAB_USAGE: a b c d e f g h',
      '  last seen: short',
      '  try: npx whodunit list a-b-c',
    ].join('\n');
    expect(wrapError(error, 26).split('\n')).toEqual([
      'error LAB_USAGE: a b c',
      '    d e f g h',
      '  last seen: short',
      '  try: npx whodunit list a-b-c',
    ]);
  });
});
