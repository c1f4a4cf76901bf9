import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inAnyOrder } from '../../../fixtures/evidence/change-capture.ts';
import {
  answerFor,
  captureNames,
  sampledCaptureNames,
  judgeCapture,
  loadCapture,
  simpleCaptureNames,
  withLines,
} from '../../../fixtures/evidence/load-capture.ts';
import { cases } from '../../../fixtures/properties.ts';

function pick(attribution: { killer: string; level?: string | undefined; confidence: string }): object {
  return { killer: attribution.killer, level: attribution.level, confidence: attribution.confidence };
}

const KMSG = 'node-1/kmsg.log';

const WITNESS = 'node-1/witness.jsonl';

describe('every captured cell', () => {
  it.each(captureNames())('%s is judged as its expected.json says', (name) => {
    const capture = loadCapture(name);
    expect(answerFor(capture)).toEqual(capture.expected);
    expect(judgeCapture(capture).attribution.because.length).toBeGreaterThan(0);
  });

  it.each(sampledCaptureNames())(
    '%s is judged the same with the lines of every file in another order',
    (name) => {
      const capture = loadCapture(name);
      const inOrder = pick(judgeCapture(capture).attribution);
      fc.assert(
        fc.property(inAnyOrder(capture), (changed) => {
          expect(pick(judgeCapture(changed).attribution)).toEqual(inOrder);
        }),
        { numRuns: cases(30) },
      );
    },
  );

  it.each(simpleCaptureNames())('%s is no longer proven once a decisive record is gone', (name) => {
    const capture = loadCapture(name);
    const proof = judgeCapture(capture).attribution;
    expect(proof.confidence).toBe('proven');
    const decisive = proof.because.filter((ref) => ['kmsg', 'trace', 'cgroup'].includes(ref.source));
    expect(decisive.length).toBeGreaterThan(0);
    for (const ref of decisive) {
      const dropped = withLines(capture, ref.file, (lines) =>
        lines.filter((_, index) => index + 1 !== ref.line),
      );
      const judged = judgeCapture(dropped);
      expect(judged.attribution.confidence, `without ${ref.file}:${ref.line}`).not.toBe('proven');
      expect(judged.verdict, `without ${ref.file}:${ref.line}`).toBe('inconclusive');
    }
  });
});

describe('a cell without a verdict', () => {
  const capture = loadCapture('oom-single-container');

  it('is interrupted when it was cut short', () => {
    const cut = { ...capture, record: { ...capture.record, interrupted: 'Ctrl-C' } };
    expect(judgeCapture(cut)).toMatchObject({ verdict: 'interrupted', note: 'Ctrl-C' });
  });

  it('says that no pod matched', () => {
    const victim = { ...capture.record.victim, selector: 'app=nobody' };
    const judged = judgeCapture({ ...capture, record: { ...capture.record, victim } });
    expect(judged).toMatchObject({ verdict: 'inconclusive', note: 'no pod in default matches app=nobody' });
  });

  it('never throws and never passes on garbage', () => {
    const garbage = fc
      .array(fc.oneof(fc.string(), fc.json()), { maxLength: 20 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(garbage, fc.constantFrom(...capture.files.keys()), (content, path) => {
        const files = new Map(capture.files).set(path, content);
        const judged = judgeCapture({ ...capture, files });
        if (path === KMSG || path === WITNESS || path === 'pods.jsonl')
          expect(judged.verdict).toBe('inconclusive');
      }),
      { numRuns: cases(200) },
    );
  });
});
