import { describe, expect, it } from 'vitest';
import { parseGoSeconds } from '../../../../lab/judge/measures/pull-series.ts';
import type { MeasureBound } from '../../../../lab/model/measures/measure.ts';
import type { BuiltInMeasure } from '../../../../lab/model/measures/measure-table.ts';
import { judgeCapture, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import { running } from '../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

/** 2025-10-09T08:53:20Z: second 0 of every story. */
const BEGIN_MS = 1_760_000_000_000;
const REGISTRY = 'registry.jsonl';
const QUICK = '127.0.0.1:5000/quick:1';

/** A request to the registry: when, for what, for how many seconds. */
type Asked = readonly [at: number, path: string, seconds: number, node?: string];

const line = ([at, path, seconds, node = 'node-1']: Asked): string =>
  JSON.stringify({
    at: new Date(BEGIN_MS + at * 1000).toISOString(),
    node,
    method: 'GET',
    path: `/v2/${path}`,
    status: 200,
    bytes: 1,
    tookMs: seconds * 1000,
    whole: true,
  });

interface Told {
  readonly pulled?: string;
  readonly asked?: readonly Asked[];
  readonly raw?: string;
}

/** A cell whose victim was pulled: what the kubelet said of it, and what the registry was asked. */
function tell(bounds: readonly Partial<MeasureBound>[], { pulled, asked = [], raw }: Told): Capture {
  const story = new Story();
  story.event(1, 'Pulling', `Pulling image "${QUICK}"`);
  if (pulled !== undefined) story.event(2, 'Pulled', `Successfully pulled image "${QUICK}" in ${pulled}`);
  for (const request of asked) story.raw(REGISTRY, line(request));
  if (raw !== undefined) story.raw(REGISTRY, raw);
  story.values(25, scopeOf(CAST.container), 'memory.events', { oom: 0, oom_kill: 0 });
  story.pod(28, { state: running(3) });
  const measures = bounds.map((bound): MeasureBound => ({
    measure: 'pull-s',
    statistic: 'last',
    samples: 5,
    reason: 'as it is told',
    ...bound,
  }));
  const { record, files } = story.tell({ killer: 'none', survivesSeconds: 20, measures });
  return { record, files, expected: {} };
}

/** What was measured of one quantity, and the verdict of a cell that expects it to be 0 or more. */
function measure(name: BuiltInMeasure, told: Told) {
  const { verdict, measures, note } = judgeCapture(tell([{ measure: name, atLeast: 0 }], told));
  return { verdict, note, points: measures?.[0]?.points.map(({ value, line: at }) => [value, at]) };
}

describe('what the kubelet says of a pull', () => {
  const SERIAL = '1.204s (48.9s including waiting). Image size: 3074560 bytes.';

  it('is how long the runtime pulled, and how long it waited before', () => {
    expect(measure('pull-s', { pulled: SERIAL })).toMatchObject({ verdict: 'passed', points: [[1.204, 6]] });
    expect(measure('pull-wait-s', { pulled: SERIAL })).toMatchObject({ points: [[47.696, 6]] });
    expect(measure('pull-wait-s', { pulled: '2.1s (2.1s including waiting)' }).points).toEqual([[0, 6]]);
    expect(measure('pull-wait-s', { pulled: '850ms (1m2.5s including waiting)' }).points).toEqual([
      [61.65, 6],
    ]);
  });

  it('fails a bound that it does not keep', () => {
    const waits = { measure: 'pull-wait-s', atMost: 5 } as const;
    expect(judgeCapture(tell([waits], { pulled: SERIAL }))).toMatchObject({
      verdict: 'failed',
      mismatches: [{ field: 'measures.pull-wait-s', expected: 'last at most 5 s', observed: 'last 47.7 s' }],
    });
    expect(judgeCapture(tell([waits], { pulled: '2s (2s including waiting)' })).verdict).toBe('passed');
  });

  it.each([
    ['there is one time with the waiting in it, as before 1.26', '49.2s'],
    ['the image was there already', undefined],
    ['it is no duration', 'a while (48.9s including waiting)'],
  ])('is no number where %s', (_, pulled) => {
    const { verdict, note } = measure('pull-wait-s', pulled === undefined ? {} : { pulled });
    expect(verdict).toBe('inconclusive');
    expect(note).toContain('nothing was measured');
  });
});

describe('a duration of Go', () => {
  it.each([
    ['0s', 0],
    ['1.204s', 1.204],
    ['850ms', 0.85],
    ['15.5µs', 0.0000155],
    ['1m2.5s', 62.5],
    ['1h0m1s', 3601],
  ])('%s', (text, seconds) => expect(parseGoSeconds(text)).toBeCloseTo(seconds, 9));

  it.each(['', '5', '1.2.3s', 's', '-1s', '1 s'])('is not "%s"', (text) =>
    expect(parseGoSeconds(text)).toBeUndefined(),
  );
});

describe('what the registry was asked', () => {
  const SLOW: Asked = [2, 'slow/blobs/sha256:a', 20];
  const quick = (at: number): Asked[] => [
    [at, 'quick/manifests/1', 0.1],
    [at + 0.2, 'quick/blobs/sha256:b', 0.1],
    [at + 0.3, 'quick/blobs/sha256:c', 1],
  ];

  it('tells how long nothing was asked for an image that the kubelet pulls by its own word', () => {
    expect(measure('registry-wait-s', { asked: [SLOW, ...quick(22.5)] })).toMatchObject({
      verdict: 'passed',
      points: [[21.5, 2]],
    });
    expect(measure('registry-wait-s', { asked: [SLOW, ...quick(1.5)] }).points).toEqual([[0.5, 2]]);
    expect(measure('registry-wait-s', { asked: [SLOW] }).verdict).toBe('inconclusive');
  });

  it('tells of how many images it sent content at once, whatever asked for them', () => {
    const most = (asked: readonly Asked[]) =>
      Math.max(...(measure('pulls-at-once', { asked }).points ?? []).map(([value]) => value ?? 0));
    expect(most([SLOW, ...quick(22.5)])).toBe(1);
    expect(most([SLOW, ...quick(4)])).toBe(2);
    // A manifest is no content, and another node is another kubelet.
    expect(most([SLOW, [4, 'quick/manifests/1', 1]])).toBe(1);
    expect(most([SLOW, [4, 'quick/blobs/sha256:b', 1, 'node-2']])).toBe(1);
    // Layers of one image come side by side.
    expect(most([SLOW, [4, 'slow/blobs/sha256:d', 1]])).toBe(1);
  });

  it('is not known when a line of it is broken', () => {
    const { verdict, note } = measure('pulls-at-once', { asked: [SLOW], raw: '{"at":"2025' });
    expect(verdict).toBe('inconclusive');
    expect(note).toContain(`${REGISTRY}: a line is not a request to the registry`);
  });
});
