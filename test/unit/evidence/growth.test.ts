import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture, withLines } from '../../fixtures/evidence/load-capture.ts';
import { bound, everySecond, sampleLines, toldSamples } from '../../fixtures/evidence/samples.ts';

/** More arguments than the stack of a call holds. */
const MANY = 150_000;

/** Files of one cell, and lines that somebody may add to them without end. */
const GROWTH: readonly (readonly [what: string, file: string, count: number, line: (n: number) => string])[] =
  [
    [
      'numbers that are missing of a witness',
      'node-1/witness.jsonl',
      MANY,
      (n) => `{"kind":"beat","seq":${1_000_000 + 2 * n}}`,
    ],
    ['witness records that are no JSON', 'node-1/witness.jsonl', MANY, (n) => `{${n}`],
    [
      'numbers that are missing of a kernel log',
      'node-1/kmsg.log',
      MANY,
      (n) => `6,${1_000_000 + 2 * n},${n},-;x`,
    ],
    ['lines of a kernel log that are none', 'node-1/kmsg.log', MANY, (n) => `${n}`],
    [
      'journal entries of the kubelet without a time',
      'node-1/kubelet.jsonl',
      MANY,
      (n) => `{"MESSAGE":"${n}"}`,
    ],
    [
      'journal entries of containerd',
      'node-1/containerd.jsonl',
      MANY,
      (n) => `{"MESSAGE":"${n}","__REALTIME_TIMESTAMP":"${n}"}`,
    ],
    [
      'events of other pods',
      'events.jsonl',
      20_000,
      (n) => `{"type":"ADDED","object":{"metadata":{"uid":"${n}","name":"n${n}"},"reason":"Killing"}}`,
    ],
    [
      'pods',
      'pods.jsonl',
      20_000,
      (n) => `{"type":"ADDED","object":{"metadata":{"uid":"${n}","name":"n${n}","namespace":"x"}}}`,
    ],
    ['nesting', 'events.jsonl', 10, () => '['.repeat(100_000)],
    ['one line without an end', 'node-1/kubelet.jsonl', 1, () => 'x'.repeat(8_000_000)],
  ];

describe('evidence that grows', () => {
  it.each(GROWTH)('is judged to its end: %s', (_, file, count, line) => {
    const capture = loadCapture('oom-single-container');
    const grown = withLines(capture, file, (lines) => [
      ...lines.filter((text) => text !== ''),
      ...Array.from({ length: count }, (__, n) => line(n)),
    ]);
    expect(judgeCapture(grown).attribution.killer).toBe('memcg-oom');
  });

  it('is read up to a limit where it is samples, and what the rest says stays open', () => {
    const limits = [bound({ statistic: 'slope', atMost: 3 })];
    const once = everySecond(() => 'zombies 0\n');
    const many = sampleLines(
      Array.from({ length: 101_000 }, (_, n) => ({ at: 4 + n / 10_000, out: 'zombies 0\n' })),
    );
    const grown = withLines(toldSamples(once, limits), 'node-1/samples.jsonl', () => many);
    const judged = judgeCapture(grown);
    expect(judged.verdict).toBe('inconclusive');
    expect(judged.note).toContain('only the first 100,000 records are read');
  });
});
