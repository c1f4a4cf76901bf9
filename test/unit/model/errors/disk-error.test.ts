import { describe, expect, it } from 'vitest';
import { nameDiskError } from '../../../../lab/model/errors/disk-error.ts';
import { exitCodeOf, formatError, HostError } from '../../../../lab/model/errors/errors.ts';

const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: write`), { code, path: '/x/y' });

describe('a disk that takes no more', () => {
  it('is the host’s trouble, and no bug of the lab', () => {
    for (const code of ['ENOSPC', 'EDQUOT', 'EROFS'])
      expect(exitCodeOf(nameDiskError(systemError(code)))).toBe(3);
    expect(formatError(nameDiskError(systemError('EROFS')))).toContain('the disk is read-only: /x/y');
    expect(formatError(nameDiskError(systemError('ENOSPC'), '/a/b'))).toContain('the disk is full: /a/b');
  });

  it('is not seen in any other error', () => {
    const named = new HostError('LAB_LOCK', 'held');
    for (const error of [systemError('EIO'), new Error('x'), named, 'text', undefined])
      expect(nameDiskError(error)).toBe(error);
  });
});
