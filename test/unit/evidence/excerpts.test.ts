import { describe, expect, it } from 'vitest';
import { readExcerpts } from '../../../lab/evidence/excerpts.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('');

describe('the lines around a proof', () => {
  it('are two before and two after it, once where proofs are near each other', () => {
    const [excerpt] = readExcerpts(new Map([['a.log', lines(40)]]), [
      { file: 'a.log', line: 1 },
      { file: 'a.log', line: 10 },
      { file: 'a.log', line: 12 },
    ]);
    expect(excerpt?.lines.map(({ number }) => number)).toEqual([1, 2, 3, 8, 9, 10, 11, 12, 13, 14]);
    expect(excerpt?.lines.filter(({ isWanted }) => isWanted).map(({ text }) => text)).toEqual([
      'line 1',
      'line 10',
      'line 12',
    ]);
  });

  it('are none of a file that is not there, nor of a record without a line', () => {
    expect(readExcerpts(new Map(), [{ file: 'gone.log', line: 1 }])).toEqual([]);
    expect(readExcerpts(new Map([['a.log', lines(3)]]), [{ file: 'a.log' }])).toEqual([]);
  });

  it('are cut, and say by how much', () => {
    const [excerpt] = readExcerpts(new Map([['a.log', `${'x'.repeat(5_000)}\n${'y'.repeat(5_000)}\n`]]), [
      { file: 'a.log', line: 1 },
    ]);
    for (const { text, more } of excerpt?.lines ?? []) expect(text.length + more).toBe(5_000);
    expect(excerpt?.lines.map(({ text }) => text.length)).toEqual([480, 120]);
  });

  it('are whole where the words for the rest would be as long as the rest', () => {
    const texts = ['x'.repeat(500), 'y'.repeat(140)];
    const [excerpt] = readExcerpts(new Map([['a.log', `${texts.join('\n')}\n`]]), [
      { file: 'a.log', line: 1 },
    ]);
    expect(excerpt?.lines.map(({ text, more }) => [text, more])).toEqual(texts.map((text) => [text, 0]));
  });

  it('are read from a stream no further than the last of them', () => {
    let chunks = 0;
    const endless = {
      *chunks(): Generator<Uint8Array> {
        for (;;) {
          chunks += 1;
          yield Buffer.from(lines(10));
        }
      },
    };
    const [excerpt] = readExcerpts(new Map([['a.log', endless]]), [{ file: 'a.log', line: 15 }]);
    expect(excerpt?.lines).toHaveLength(5);
    expect(chunks).toBeLessThan(4);
  });

  it('have no secrets, also of a key that begins far above them', () => {
    const body = 'TUlJRW93SUJBQUtDQVFFQXBsYW50ZWRwbGFudGVkcGxhbnRlZHBsYW50ZWQ=\n';
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${body.repeat(10)}-----END RSA PRIVATE KEY-----\n`;
    const text = `${lines(3)}${key}Authorization: Bearer abcdef0123456789abcdef\n`;
    for (const line of [10, 16]) {
      const [excerpt] = readExcerpts(new Map([['a.log', text]]), [{ file: 'a.log', line }]);
      const shown = JSON.stringify(excerpt);
      expect(shown).toContain('[redacted]');
      expect(shown).not.toContain(body.trim());
      expect(shown).not.toContain('abcdef0123456789');
    }
  });
});
