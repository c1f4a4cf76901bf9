import { describe, expect, it } from 'vitest';
import { findBlock } from '../../../bin/docs/marked-block.ts';
import { KILLERS } from '../../../lab/model/killers/killers.ts';
import { renderStories } from '../../fixtures/told/count-stories.ts';
import { allStories } from '../../fixtures/told/all-stories.ts';
import { readProjectText } from '../project-files.ts';

/** Share of the stories of one killer in which it must be named; a judge that hides in `unknown` is no help. */
const NAMED = 0.7;
/** Stories for each killer. */
const STORIES_PER_KILLER = 8;

const stories = await allStories();

describe.each(KILLERS)('told of %s', (killer) => {
  const own = stories.filter((story) => story.killer === killer);

  it.each(own.map((story) => [story.name, story] as const))('%s', (_, story) => {
    const { attribution } = story.judge();
    expect([story.killer, 'unknown']).toContain(attribution.killer);
    if (attribution.killer === 'unknown') return;
    const { how, level, process } = attribution;
    if (story.how !== undefined && how !== undefined) expect(how).toBe(story.how);
    if (story.level !== undefined && level !== undefined) expect(level).toBe(story.level);
    if (story.notLevel !== undefined) expect(level).not.toBe(story.notLevel);
    if (story.process !== undefined && process !== undefined) expect(process).toBe(story.process);
    if (story.undecidable === true) expect(attribution.confidence).not.toBe('proven');
    if (story.finding !== undefined)
      expect((attribution.findings ?? []).map((finding) => finding.what).join('\n')).toMatch(story.finding);
  });

  it('is told in enough stories, and named in most of them', () => {
    expect(own.length).toBeGreaterThanOrEqual(STORIES_PER_KILLER);
    const decidable = own.filter((story) => story.undecidable !== true);
    const missed = decidable.filter((story) => story.judge().attribution.killer !== killer);
    expect(missed.map((story) => story.name)).toHaveLength(
      Math.min(missed.length, Math.floor(own.length * (1 - NAMED))),
    );
  });
});

describe('docs/verdicts.md', () => {
  it('has the table of told stories as they are judged now, none of them wrong', async () => {
    const cells = (text: string): string[] => text.split('\n').map((line) => line.replace(/[\s-]+/g, ' '));
    const written = findBlock(readProjectText('docs/verdicts.md'), 'told-stories') ?? '';
    const table = await renderStories();
    expect(cells(written.trim())).toEqual(cells(table));
    expect(table).toMatch(/\| all .*\| 0 +\|$/);
  });
});
