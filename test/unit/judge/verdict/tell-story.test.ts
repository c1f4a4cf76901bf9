import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { tellStory } from '../../../../lab/judge/verdict/tell-story.ts';
import type { Story } from '../../../../lab/model/evidence/story.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';

function storyOf(name: string): Story {
  const { record, files } = loadCapture(name);
  const story = tellStory(record, readEvidence(files, record));
  if (story === undefined) throw new Error(`${name} has no victim`);
  return story;
}

describe('the story of a cell', () => {
  it('has what each layer recorded of the victim and its pod, oldest first', () => {
    const { events, endedAt } = storyOf('delete-ignored');
    const times = events.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(events.map(({ source }) => source))).toEqual(
      new Set(['stimulus', 'pod', 'event', 'kubelet', 'containerd', 'tasks', 'trace', 'cgroup']),
    );
    expect(new Date(endedAt ?? 0).toISOString()).toBe('2026-11-22T07:50:42.341Z');
  });

  it('has the memory of container and pod, and the limit that was hit, on both versions of cgroups', () => {
    for (const name of ['oom-single-container', 'oom-single-container--v1']) {
      const { memory } = storyOf(name);
      expect(memory.map(({ level }) => level).toSorted(), name).toEqual(['container', 'pod']);
      for (const { limitBytes, used } of memory) {
        expect(limitBytes, name).toBe(128 * 1024 * 1024);
        expect(used.length, name).toBeGreaterThan(1);
      }
    }
  });

  it('is that of the death that is judged, not of the first one', () => {
    const { record, files } = loadCapture('third-death');
    const first = { ...record, expected: { ...record.expected, attempt: 1 } };
    const { endedAt = 0 } = storyOf('third-death');
    expect(new Date(endedAt).toISOString()).toMatch(/^2026-12-01T04:58:37/);
    expect(tellStory(first, readEvidence(files, first))?.endedAt).toBeLessThan(endedAt - 10_000);
  });

  it('has no end where the victim lives', () => {
    expect(storyOf('within-limits').endedAt).toBeUndefined();
  });

  it('is none without a victim', () => {
    const { record, files } = loadCapture('exit-one');
    const victim = { ...record.victim, selector: 'app=nobody' };
    expect(tellStory({ ...record, victim }, readEvidence(files, record))).toBeUndefined();
  });
});
