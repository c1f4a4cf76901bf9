import { describe, expect, it } from 'vitest';
import { STORIES } from '../../../fixtures/told/combined/senders-below-one-shim.ts';
import { captureOf } from '../../../fixtures/told/told-story.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';

describe('a sender whose name is the number of a descriptor', () => {
  it.each([
    ['youki, which runs a copy of itself', 'api-deletion'],
    ['a program that has a number for its name', 'unknown'],
  ])('%s: %s', (words, killer) => {
    const told = STORIES.filter(({ name }) => name.includes(words));
    expect(told.map((story) => judgeCapture(captureOf(story)).attribution.killer)).toEqual([killer]);
  });
});
