import { describe, expect, it } from 'vitest';
import { cutAt, timesOf } from '../../fixtures/evidence/cut-time.ts';
import { judgeCapture, loadCapture, sampledCaptureNames } from '../../fixtures/evidence/load-capture.ts';
import { cases } from '../../fixtures/properties.ts';

/** Each capture is broken off at so many moments, of all those in which something was written. */
const MOMENTS = 12;

describe('evidence that breaks off at any moment, before or after the end, proves no other killer', () => {
  it.each(sampledCaptureNames())('%s', (name) => {
    const capture = loadCapture(name);
    const { killer, confidence } = judgeCapture(capture).attribution;
    const times = timesOf(capture).filter((time) => time >= Date.parse(capture.record.startedAt));
    const step = Math.max(1, Math.floor(times.length / cases(MOMENTS)));
    const wrong = times
      .filter((_, index) => index % step === 0)
      .flatMap((time) => {
        const now = judgeCapture(cutAt(capture, time)).attribution;
        if (now.confidence !== 'proven' || (now.killer === killer && confidence === 'proven')) return [];
        return [
          `${new Date(time).toISOString()}: ${killer} ${confidence} -> ${now.killer} ${now.confidence}`,
        ];
      });
    expect(wrong).toEqual([]);
  });
});
