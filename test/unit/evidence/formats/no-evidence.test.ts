import { describe, expect, it } from 'vitest';
import { describeNoEvidence } from '../../../../lab/evidence/formats/no-evidence.ts';

describe('a file with NUL bytes', () => {
  it.each([
    ['text in UTF-16 that lost its beginning', '\0k\0i\0l\0l\0e\0d\0', true],
    ['text in UTF-32', 'k\0\0\0i\0\0\0l\0\0\0l\0\0\0', true],
    ['a picture', '\ufffdPNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0', false],
    [
      'a list whose entries end with NUL, as /proc/1/environ',
      'HOME=/root\0TERM=xterm\0PATH=/bin\0LANG=C\0',
      true,
    ],
    ['a file of nothing else', '\0\0\0\0\0\0\0\0', false],
  ])('%s', (_, text, isNamed) => {
    const found = describeNoEvidence([text]);
    expect(found?.includes('not text in UTF-8') === true).toBe(isNamed);
  });
});
