import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { findFault, isRight } from '../../fixtures/judged-cases/load-judged-case.ts';
import { STORIES as AGENTS } from '../../fixtures/told/weighed/agents.ts';
import { STORIES as KERNEL } from '../../fixtures/told/weighed/kernel.ts';
import { STORIES as LAYERS } from '../../fixtures/told/weighed/layers.ts';
import { STORIES as NODE } from '../../fixtures/told/weighed/node.ts';
import { STORIES as RACES } from '../../fixtures/told/weighed/races.ts';
import { STORIES as REQUESTS } from '../../fixtures/told/weighed/requests.ts';
import { STORIES as SHAPES } from '../../fixtures/told/weighed/shapes.ts';
import { STORIES as SIGNALS } from '../../fixtures/told/weighed/signals.ts';
import { weighedCapture } from '../../fixtures/told/weighed/weighed-story.ts';

/** So many of the stories may be left unknown where a killer could be named. */
const UNKNOWN = 11;

describe.each([
  ['the kernel', KERNEL],
  ['signals', SIGNALS],
  ['requests', REQUESTS],
  ['the node', NODE],
  ['two causes', RACES],
  ['another shape', SHAPES],
  ['agents and limits', AGENTS],
  ['other layers', LAYERS],
])('a story of %s', (_, stories) => {
  it.each(stories.map((story) => [story.why, story] as const))('%s', (_why, story) => {
    expect(findFault(judgeCapture(weighedCapture(story)).attribution, story)).toBeUndefined();
  });
});

describe('all stories', () => {
  it(`are judged right but for ${UNKNOWN}, which are left unknown`, () => {
    const stories = [...KERNEL, ...SIGNALS, ...REQUESTS, ...NODE, ...RACES, ...SHAPES, ...AGENTS, ...LAYERS];
    const left = stories.filter((story) => !isRight(judgeCapture(weighedCapture(story)).attribution, story));
    expect(left.map((story) => story.why)).toHaveLength(UNKNOWN);
  });
});
