import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { findFault, isRight } from '../../fixtures/judged-cases/load-judged-case.ts';
import { WEIGHED } from '../../fixtures/told/weighed/all-weighed-stories.ts';
import { weighedCapture } from '../../fixtures/told/weighed/weighed-story.ts';

/** So many of the stories may be left unknown where a killer could be named. */
const UNKNOWN = 35;

describe.each(WEIGHED)('a story of %s', (_, stories) => {
  it.each(stories.map((story) => [story.why, story] as const))('%s', (_why, story) => {
    expect(findFault(judgeCapture(weighedCapture(story)).attribution, story)).toBeUndefined();
  });
});

describe('all stories', () => {
  it(`are judged right but for ${UNKNOWN}, which are left unknown`, () => {
    const stories = WEIGHED.flatMap(([, own]) => own);
    const left = stories.filter((story) => !isRight(judgeCapture(weighedCapture(story)).attribution, story));
    expect(left.map((story) => story.why)).toHaveLength(UNKNOWN);
  });
});
