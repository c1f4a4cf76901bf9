import { describe, expect, it } from 'vitest';
import { judgeCapture, loadCapture, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import { running } from '../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

/** A cell that expects no event of an OOM, and what the API told in it. */
function tell(...events: readonly (readonly [at: number, reason: string, message: string])[]): Capture {
  const story = new Story();
  for (const event of events) story.event(...event);
  story.values(25, scopeOf(CAST.container), 'memory.events', { oom: 0, oom_kill: 0 });
  story.pod(28, { state: running(3) });
  const { record, files } = story.tell({
    killer: 'none',
    survivesSeconds: 20,
    measures: [
      { measure: 'oom-events', statistic: 'last', atMost: 0, samples: 5, reason: 'nobody tells of it' },
    ],
  });
  return { record, files, expected: {} };
}

describe('events of an OOM', () => {
  it('are counted at each event, so that none is a number', () => {
    const { verdict, measures } = judgeCapture(tell());
    expect(verdict).toBe('passed');
    expect(measures?.[0]).toMatchObject({ last: 0 });
  });

  it('are known by their reason', () => {
    const told = tell(
      [4, 'SystemOOM', 'System OOM encountered, victim process: memory-eater, pid: 1650'],
      [5, 'Killing', 'Stopping container main: it was no oom'],
    );
    expect(judgeCapture(told)).toMatchObject({
      verdict: 'failed',
      mismatches: [{ field: 'measures.oom-events', expected: 'last at most 0', observed: 'last 1' }],
    });
  });

  it('are no number where nobody listened', () => {
    const told = tell();
    const files = new Map([...told.files].filter(([name]) => name !== 'events.jsonl'));
    expect(judgeCapture({ ...told, files }).verdict).toBe('inconclusive');
  });

  it('are none in a real cell whose container the kernel killed at its limit', () => {
    const { record, files } = loadCapture('oom-single-container');
    const measures = [
      {
        measure: 'oom-events',
        statistic: 'last',
        atMost: 0,
        samples: 5,
        reason: 'nobody tells of it',
      } as const,
    ];
    const judged = judgeCapture({
      files,
      expected: {},
      record: { ...record, expected: { ...record.expected, measures } },
    });
    expect(judged.verdict).toBe('passed');
    expect(judged.measures?.[0]?.points.length).toBeGreaterThan(3);
  });
});

describe('warnings about pods', () => {
  const bound = { statistic: 'last', atMost: 0, samples: 5, reason: 'it only waits' } as const;
  const judgeWith = (change: (events: string) => string) => {
    const { record, files } = loadCapture('slow-pull');
    const told = new Map([...files, ['events.jsonl', change(files.get('events.jsonl') ?? '')]]);
    const measures = [{ measure: 'pod-warnings', ...bound } as const];
    return judgeCapture({
      files: told,
      expected: {},
      record: { ...record, expected: { killer: 'none', survivesSeconds: 15, measures } },
    });
  };

  it('are none while a pod waits for the image of another', () => {
    expect(judgeWith((events) => events).verdict).toBe('passed');
  });

  it('count in the namespace of the victim alone', () => {
    const warnIn = (namespace: string) => (events: string) =>
      events
        .replaceAll('"type":"Normal"', '"type":"Warning"')
        .replaceAll('"namespace":"default"', `"namespace":"${namespace}"`);
    expect(judgeWith(warnIn('default')).mismatches).toMatchObject([{ field: 'measures.pod-warnings' }]);
    expect(judgeWith(warnIn('kube-system')).mismatches).toEqual([]);
  });
});
