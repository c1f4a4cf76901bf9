import { describe, expect, it } from 'vitest';
import { cutAt, timesOf } from '../../fixtures/evidence/cut-time.ts';
import {
  judgeCapture,
  loadCapture,
  sampledCaptureNames,
  type Capture,
} from '../../fixtures/evidence/load-capture.ts';
import { judgedCases } from '../../fixtures/judged-cases/load-judged-case.ts';
import { cases } from '../../fixtures/properties.ts';
import { allStories } from '../../fixtures/told/all-stories.ts';
import { drawStories } from '../../fixtures/told/draw-stories.ts';
import { WEIGHED } from '../../fixtures/told/weighed/all-weighed-stories.ts';
import { weighedCapture } from '../../fixtures/told/weighed/weighed-story.ts';

/** Each capture is broken off at so many moments, of all those in which something was written. */
const MOMENTS = 12;

/** What is proven of the evidence when it breaks off, and is not proven of all of it. */
function findWrongProofs(capture: Capture): string[] {
  const { killer, confidence } = judgeCapture(capture).attribution;
  const times = timesOf(capture).filter((time) => time >= Date.parse(capture.record.startedAt));
  const step = Math.max(1, Math.floor(times.length / cases(MOMENTS)));
  return times
    .filter((_, index) => index % step === 0)
    .flatMap((time) => {
      const now = judgeCapture(cutAt(capture, time)).attribution;
      if (now.confidence !== 'proven' || (now.killer === killer && confidence === 'proven')) return [];
      return [`${new Date(time).toISOString()}: ${killer} ${confidence} -> ${now.killer} ${now.confidence}`];
    });
}

const all = await allStories();
const told = drawStories(all, ({ name }) => name, 'cut');
const weighed = drawStories(
  WEIGHED.flatMap(([, stories]) => stories),
  ({ why }) => why,
  'cut',
);

describe('evidence that breaks off at any moment, before or after the end, proves no other killer', () => {
  it.each(sampledCaptureNames())('capture %s', (name) => {
    expect(findWrongProofs(loadCapture(name))).toEqual([]);
  });

  it.each(judgedCases())('case $name', ({ capture }) => {
    expect(findWrongProofs(capture)).toEqual([]);
  });

  it.each(told)('told: $name', ({ tell }) => {
    expect(findWrongProofs(tell())).toEqual([]);
  });

  it.each(weighed)('weighed: $why', (story) => {
    expect(findWrongProofs(weighedCapture(story))).toEqual([]);
  });
});

/** Stories in which the OOM killer takes a child, the container lives on, and something else ends it later. */
const OUTLIVED =
  /^(?:a memory policy binds the program to one NUMA node, after|a readiness probe was OOM-killed in the limit|a worker is OOM-killed and replaced by many|the OOM killer took a worker, which was replaced|its exec probe was OOM-killed three times)/;

describe('that a container lives on after the OOM kill of a child is proven by no evidence that breaks off', () => {
  it.each(all.filter(({ name, killer }) => killer !== 'memcg-oom' && OUTLIVED.test(name)))(
    '$name',
    ({ tell }) => {
      const capture = tell();
      const wrong = timesOf(capture).filter((time) => {
        const { killer, confidence, process } = judgeCapture(cutAt(capture, time)).attribution;
        return killer === 'memcg-oom' && process === 'child' && confidence === 'proven';
      });
      expect(wrong).toEqual([]);
    },
  );
});
