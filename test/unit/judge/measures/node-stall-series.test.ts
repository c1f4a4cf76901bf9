import { describe, expect, it } from 'vitest';
import type { BuiltInMeasure } from '../../../../lab/model/measures/measure-table.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { CAST, iso, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

const HEARTBEAT = 'heartbeat.jsonl';

/** What the host wrote: when, what, and of which node if not node-1. */
type Look = readonly [at: number, kind: string, node?: string];

/** A look each second. */
const looks = (from: number, to: number, kind: string): Look[] =>
  Array.from({ length: to - from }, (_, index) => [from + index, kind] as const);

/** The numbers of a measure in a cell that expects it to be 0 or more, by second 20 of the victim's life if asked for. */
function measure(name: BuiltInMeasure, tell: (story: Story) => void, bySeconds?: number) {
  const story = new Story();
  tell(story);
  story.values(25, scopeOf(CAST.container), 'memory.events', { oom: 0, oom_kill: 0 });
  const bound = { measure: name, statistic: 'max', atLeast: 0, samples: 5, reason: 'as it is told' } as const;
  const measures = [{ ...bound, ...(bySeconds === undefined ? {} : { bySeconds }) }];
  const { record, files } = story.tell({ killer: 'none', survivesSeconds: 20, measures });
  const judged = judgeCapture({ record, files, expected: {} });
  const [found] = judged.measures ?? [];
  return { verdict: judged.verdict, note: judged.note, n: found?.n, max: found?.max, bounds: found?.bounds };
}

const told =
  (all: readonly Look[]) =>
  (story: Story): void => {
    for (const [at, kind, node = 'node-1'] of all)
      story.raw(HEARTBEAT, JSON.stringify({ kind, at: Date.parse(iso(at)), node }));
  };

describe('how long a node has not greeted anybody', () => {
  const begun: Look[] = [[0, 'start'], ...looks(1, 10, 'answer')];

  it('grows from the last answer on, until it answers again or the host ceases to ask', () => {
    const back: Look[] = [...begun, ...looks(10, 22, 'silence'), ...looks(22, 30, 'answer'), [30, 'stop']];
    expect(measure('heartbeat-gap-s', told(back))).toMatchObject({ verdict: 'passed', max: 13, n: 31 });
    const gone: Look[] = [...begun, ...looks(10, 30, 'silence'), [30, 'stop']];
    expect(measure('heartbeat-gap-s', told(gone))).toMatchObject({ verdict: 'passed', max: 21 });
    // By second 20 of a life that began in second 3: what came later does not count.
    expect(measure('heartbeat-gap-s', told(gone), 20).bounds).toMatchObject([{ value: 14 }]);
  });

  it('is of the node of the victim alone', () => {
    const other: Look[] = [...begun, [9, 'silence', 'node-2'], ...looks(10, 30, 'answer'), [30, 'stop']];
    expect(measure('heartbeat-gap-s', told(other))).toMatchObject({ max: 1, n: 31 });
  });

  it.each([
    ['nobody asked', [], 'nobody asked the node whether it answers'],
    ['the host did not look', [...begun, [20, 'silence'], [21, 'stop']], 'the host did not look for 11 s'],
    ['the asking broke off', begun, 'nobody knows when the host ceased to ask'],
    ['a line is broken', [...begun, [10, 'hello'], [11, 'stop']], 'a line is not an answer of a node'],
  ] as [string, Look[], string][])('is not known when %s', (_, all, why) => {
    const { verdict, note } = measure('heartbeat-gap-s', told(all));
    expect(verdict).toBe('inconclusive');
    expect(note).toContain(why);
  });
});

describe('the share of the time in which all processes waited for memory', () => {
  /** A beat each second; from second 10 to 16 none, and nothing but waiting. */
  const beats = (story: Story): void => {
    for (let at = 0; at < 30; at += 1) {
      if (at > 10 && at < 16) continue;
      const memoryFullMicros = 500 + Math.min(Math.max(0, at - 10), 6) * 1e6;
      story.witness(at + 0.001, 'node', { cpus: 2, memoryFullMicros, oomKills: 0, stealMs: 0 });
    }
  };

  it('is of the ten seconds before each beat, however late it is', () => {
    // The beat of second 16 looks back to that of second 6, of which 6 s are the stall.
    expect(measure('full-stall-share', beats)).toMatchObject({ verdict: 'passed', max: 0.6, n: 15 });
  });

  it('is no number on a kernel that does not count it', () => {
    const without = (story: Story): void => {
      for (let at = 0; at < 30; at += 1)
        story.witness(at + 0.001, 'node', { cpus: 2, oomKills: 0, stealMs: 0 });
    };
    expect(measure('full-stall-share', without)).toMatchObject({ verdict: 'inconclusive', n: 0 });
  });
});

describe('how long the API did not call a node ready', () => {
  /** What the API said of a node, and when. */
  const says =
    (all: readonly (readonly [at: number, status: string, node?: string])[]) =>
    (story: Story): void => {
      for (const [at, status, name = 'node-1'] of all) {
        const object = { metadata: { name }, status: { conditions: [{ type: 'Ready', status }] } };
        story.raw('nodes.jsonl', JSON.stringify({ at: iso(at), type: 'MODIFIED', object }));
      }
    };
  const whole = [
    [0, 'True'],
    [5, 'Unknown'],
    [8, 'False'],
    [12, 'True'],
  ] as const;

  it('is the time from each word that it is not to the next one', () => {
    expect(measure('node-not-ready-s', says(whole))).toMatchObject({ verdict: 'passed', max: 7 });
    expect(measure('node-not-ready-s', says([[0, 'True']]))).toMatchObject({ verdict: 'passed', max: 0 });
  });

  it('goes on to the end of the cell when nothing else was said', () => {
    expect(measure('node-not-ready-s', says(whole.slice(0, 2)))).toMatchObject({ max: 25 });
  });

  it('is of the node of the victim alone', () => {
    expect(measure('node-not-ready-s', says([...whole, [13, 'False', 'node-2']]))).toMatchObject({ max: 7 });
  });

  it('is not known when nobody watched, or the watch broke', () => {
    expect(measure('node-not-ready-s', () => undefined)).toMatchObject({ verdict: 'inconclusive', n: 0 });
    const broken = (story: Story): void => {
      says(whole)(story);
      story.raw('nodes.jsonl', 'nonsense');
    };
    expect(measure('node-not-ready-s', broken).verdict).toBe('inconclusive');
  });
});
