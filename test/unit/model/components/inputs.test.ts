import { describe, expect, it } from 'vitest';
import { compareInputs, digestInputs, flattenInputs } from '../../../../lab/model/components/inputs.ts';

const hex = (digit: string): string => digit.repeat(64);

describe('the digest of inputs', () => {
  it('is of all of them, whatever their order', () => {
    expect(digestInputs({ a: '1', b: '2' })).toBe(digestInputs({ b: '2', a: '1' }));
    expect(digestInputs({ a: '1', b: '2' })).not.toBe(digestInputs({ a: '1', b: '3' }));
  });
});

describe('inputs of nested data', () => {
  it('are its leaves by their paths, so that an empty list and a missing one differ', () => {
    expect(flattenInputs({ a: { b: ['x', 1] }, c: [] })).toEqual({ 'a.b.0': '"x"', 'a.b.1': '1', c: '{}' });
    expect(flattenInputs({ a: null, b: undefined })).toEqual({ a: 'null', b: 'nothing' });
  });
});

describe('what is said of inputs that differ', () => {
  it('is nothing when none does', () => {
    expect(compareInputs({ suite: 'sid' }, { suite: 'sid' })).toEqual([]);
  });

  it('is their name, what they were and what they are, with short digests', () => {
    expect(
      compareInputs(
        { suite: 'sid', 'component etcd': `3.6.5 ${hex('a')}` },
        { suite: 'sid', 'component etcd': `3.6.6 ${hex('b')}` },
      ),
    ).toEqual(['component etcd was 3.6.5 aaaaaaaaaaaa, is 3.6.6 bbbbbbbbbbbb']);
    expect(compareInputs({ w: `1.0.0 ${hex('a')}` }, { w: `1.0.0 ${hex('b')}` })).toEqual([
      'w was 1.0.0 aaaaaaaaaaaa, is 1.0.0 bbbbbbbbbbbb',
    ]);
    expect(compareInputs(flattenInputs({ go: '1.26.7' }), flattenInputs({ go: '1.26.8' }))).toEqual([
      'go was 1.26.7, is 1.26.8',
    ]);
  });

  it('names those that are new or gone, in the order of names', () => {
    expect(compareInputs({ witness: 'x' }, { runsc: 'y' })).toEqual(['runsc is new', 'witness is gone']);
  });

  it('is of a long list only where it differs', () => {
    const many = Array.from({ length: 20 }, (_, index) => `package-${index}`);
    const without = many.filter((name) => name !== 'package-7');
    expect(compareInputs({ packages: without.join(' ') }, { packages: many.join(' ') })).toEqual([
      'packages was … …, is … package-7 …',
    ]);
    expect(compareInputs({ text: 'a'.repeat(100) }, { text: 'b'.repeat(100) })).toEqual([
      `text was ${'a'.repeat(60)}…, is ${'b'.repeat(60)}…`,
    ]);
  });
});
