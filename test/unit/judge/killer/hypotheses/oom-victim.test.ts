import { describe, expect, it } from 'vitest';
import {
  findVictim,
  judgeCapture,
  loadCapture,
  renumber,
  withLines,
  type Capture,
} from '../../../../fixtures/evidence/load-capture.ts';

const WITNESS = 'node-1/witness.jsonl';
const CHOSEN = /^the OOM killer chose pid/;

describe('the mark of the OOM killer in the trace', () => {
  const capture = loadCapture('oom-single-container');
  const { pid } = findVictim(capture);

  it('is a further proof of the kill that the kernel log tells', () => {
    const { attribution, verdict } = judgeCapture(withMark(capture, pid, 0));
    expect(attribution.because.filter(({ text }) => CHOSEN.test(text))).toMatchObject([
      { source: 'trace', file: WITNESS, text: `the OOM killer chose pid ${pid} (memory-eater)` },
    ]);
    expect(verdict).toBe('passed');
  });

  it('of another process, or of another time, is not cited', () => {
    for (const changed of [withMark(capture, 1, 0), withMark(capture, pid, 5_000)]) {
      const { attribution } = judgeCapture(changed);
      expect(attribution.killer).toBe('memcg-oom');
      expect(attribution.because.filter(({ text }) => CHOSEN.test(text))).toEqual([]);
    }
  });
});

describe('a group kill of which no counter was read', () => {
  const capture = withLines(loadCapture('oom-child-group'), WITNESS, (lines) =>
    renumber(lines.filter((line) => !line.includes('"cgroup-values"'))),
  );

  it('hit the limit that the report of its first victim names', () => {
    const { attribution, verdict } = judgeCapture(capture);
    expect(attribution).toMatchObject({ killer: 'memcg-oom', how: 'group-kill', level: 'pod' });
    expect(attribution.because.some(({ text }) => text.includes('oom-kill:constraint'))).toBe(true);
    expect(verdict).toBe('passed');
  });
});

/** The capture with one more record, so many milliseconds before the victim's first signal. */
function withMark(capture: Capture, pid: number, earlierMs: number): Capture {
  return withLines(capture, WITNESS, (lines) => {
    const index = lines.findIndex(
      (line) => line.includes('"signal"') && line.includes(`"pid":${findVictim(capture).pid}`),
    );
    expect(index).toBeGreaterThan(0);
    const signal = JSON.parse(lines[index] ?? '{}') as { at: number; mono: number };
    const mark = {
      seq: 0,
      at: signal.at - earlierMs,
      mono: signal.mono - earlierMs * 1000,
      kind: 'oom-victim',
    };
    const line = JSON.stringify({ ...mark, pid, tid: pid, comm: 'memory-eater', cgroup: '', raw: '' });
    return renumber([...lines.slice(0, index), line, ...lines.slice(index)]);
  });
}
