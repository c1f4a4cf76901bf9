import { describe, expect, it } from 'vitest';
import type { MemorySeries, Story } from '../../../../lab/model/evidence/story.ts';
import { renderMemory } from '../../../../lab/report/page/memory-chart.ts';

const MIB = 1024 ** 2;
const END = 100_000;

/** A story whose container was read at these times before its end, in seconds. */
function createStory(beforeEnd: readonly number[], endedAt: number | undefined = END): Story {
  const used = beforeEnd.map((seconds, index) => ({
    at: END - seconds * 1000,
    bytes: (index + 1) * 10 * MIB,
  }));
  const container: MemorySeries = {
    path: '/pod/container',
    level: 'container',
    used,
    peaks: [],
    limitBytes: 128 * MIB,
  };
  return { events: [], startedAt: undefined, endedAt, memory: [container] };
}

describe('memory over time', () => {
  it('is drawn against its limit, with the end, when it was read often enough around the end', () => {
    const { text } = renderMemory(createStory([3, 2, 1, 0]));
    expect(text).toContain('class="line"');
    expect(text).toContain('limit of the container');
    expect(text).toContain('the victim ends');
    expect(text.match(/<circle/g)).toHaveLength(4);
  });

  it.each([
    ['twice', [23, 0]],
    ['often, but long before the end', [60, 50, 40, 30, 20]],
  ])('is not drawn when it was read %s', (_, times) => {
    const { text } = renderMemory(createStory(times));
    expect(text).not.toContain('<svg');
    expect(text).toContain('too seldom around the end');
    expect(text).toContain(`in use (${times.length} readings)`);
  });

  it('of a container that lives needs as many readings, whenever they were', () => {
    expect(renderMemory({ ...createStory([60, 40, 20, 0]), endedAt: undefined }).text).toContain('<svg');
    expect(renderMemory({ ...createStory([60, 0]), endedAt: undefined }).text).not.toContain('<svg');
  });

  it('is nothing without a reading', () => {
    expect(renderMemory(undefined).text).toBe('');
    expect(renderMemory({ ...createStory([]), memory: [] }).text).toBe('');
  });
});
