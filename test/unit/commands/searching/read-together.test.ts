import { describe, expect, it } from 'vitest';
import { readTogether } from '../../../../lab/commands/searching/read-together.ts';
import { HostError, UsageError } from '../../../../lab/model/errors/errors.ts';

const wrong = (message: string, tryNext: string): (() => never) => {
  return () => {
    throw new UsageError(message, { tryNext });
  };
};

describe('what is read together', () => {
  it('is had where nothing is wrong', () => {
    expect(
      readTogether(
        () => 1,
        () => 'two',
      ),
    ).toEqual([1, 'two']);
  });

  it('is refused in one message, each problem once, with what to try about the first', () => {
    const read = (): unknown =>
      readTogether(
        wrong('no end', 'name one'),
        () => 1,
        wrong('no field', 'name another'),
        wrong('no end', 'x'),
      );
    expect(read).toThrow(expect.objectContaining({ message: 'no end; no field', tryNext: 'name one' }));
  });

  it('does not hide what is no mistake of the one who asks', () => {
    const read = (): unknown =>
      readTogether(wrong('no end', 'name one'), () => {
        throw new HostError('LAB_STATE_FILE', 'it is torn');
      });
    expect(read).toThrow('it is torn');
  });
});
