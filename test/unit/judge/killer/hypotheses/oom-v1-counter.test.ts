import { describe, expect, it } from 'vitest';
import {
  judgeCapture,
  loadCapture,
  renumber,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';

/** On cgroup v1 nothing announces a counter: this container's was gone with its cgroup before it was read again. */
const capture = loadCapture('oom-single-container--v1-counter-gone');
const WITNESS = 'node-1/witness.jsonl';
const PID = 1672;

const judged = (change: (line: string) => string | string[]) =>
  judgeCapture(withLines(capture, WITNESS, (lines) => renumber(lines.flatMap(change)))).attribution;

describe('an OOM kill whose counter went with its cgroup', () => {
  it('is proven by the kernel line and the SIGKILL of the kernel to the same process', () => {
    const { killer, confidence, because } = judgeCapture(capture).attribution;
    expect({ killer, confidence }).toEqual({ killer: 'memcg-oom', confidence: 'proven' });
    expect(because.map((ref) => ref.source)).toEqual(['kmsg', 'kmsg', 'trace', 'trace', 'pod']);
    expect(because[2]?.text ?? '').toContain(String(PID));
  });

  it.each([
    ['somebody and not the kernel had sent it', /"code":128/, '"code":0'],
    ['it went to another process', `"pid":${PID},"raw"`, `"pid":${PID + 1},"raw"`],
  ])('is only likely when %s', (_, from, to) => {
    const { killer, confidence } = judged((line) =>
      line.includes(`pid=${PID} `) ? line.replace(from, to) : line,
    );
    expect(killer).not.toBe('none');
    expect(confidence).not.toBe('proven');
  });

  it('is only likely when the counter was read after it and had not risen', () => {
    const after = judged((line) => {
      if (!line.includes('"cgroup-removed"')) return line;
      const { at, mono, path } = JSON.parse(line) as { at: number; mono: number; path: string };
      const values = { oom_kill: '0', oom_kill_disable: '0', under_oom: '0' };
      const read = {
        seq: 0,
        at: at - 1,
        mono: mono - 1000,
        kind: 'cgroup-values',
        file: 'memory.oom_control',
      };
      return [JSON.stringify({ ...read, path, values }), line];
    });
    expect(after).toMatchObject({ killer: 'memcg-oom', confidence: 'likely' });
  });
});
