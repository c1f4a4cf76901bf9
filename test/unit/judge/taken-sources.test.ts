import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { findWrongAnswer } from '../../fixtures/evidence/other-answer.ts';
import { leaveOnly, modesOf, SUBSETS } from '../../fixtures/evidence/take-away.ts';
import { allStories } from '../../fixtures/told/all-stories.ts';
import { drawStories } from '../../fixtures/told/draw-stories.ts';

const stories = await allStories();

describe('a source that is missing leaves the killer of a told story, or does not exclude it', () => {
  it.each(SUBSETS.flatMap(([name, left]) => modesOf(left).map((mode) => [name, mode, left] as const)))(
    '%s, the others %s',
    (choice, mode, left) => {
      const drawn = drawStories(stories, ({ name }) => name, `${choice} ${mode}`);
      const wrong = drawn.flatMap(({ name, killer, tell }) => {
        const capture = tell();
        const fewer = leaveOnly(capture, left, mode);
        if (fewer === undefined) return [];
        const [before, now] = [judgeCapture(capture).attribution, judgeCapture(fewer).attribution];
        const found = findWrongAnswer({ now, before, left, truth: [killer] });
        return found === undefined ? [] : [`${name}: ${found}`];
      });
      expect(wrong).toEqual([]);
    },
  );
});
