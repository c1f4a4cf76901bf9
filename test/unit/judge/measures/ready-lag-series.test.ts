import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { running } from '../../../fixtures/told/api-words.ts';
import { CAST, iso, isoSeconds, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

/** A version of a pod of the crowd: when the API told it, and since when the pod is started and ready by its own word. */
interface Told {
  readonly at: number;
  readonly name: string;
  readonly started?: number;
  readonly ready?: number;
  readonly namespace?: string;
  readonly node?: string;
  readonly created?: number;
}

function versionOf({
  at,
  name,
  started,
  ready,
  namespace = 'default',
  node = 'node-1',
  created = 1,
}: Told): string {
  const state = started === undefined ? { waiting: { reason: 'ContainerCreating' } } : running(started);
  const containerID = started === undefined ? '' : `containerd://${name}`;
  const transition =
    ready === undefined ? { status: 'False' } : { status: 'True', lastTransitionTime: isoSeconds(ready) };
  const object = {
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      creationTimestamp: isoSeconds(created),
      labels: { app: 'crowd' },
    },
    spec: { nodeName: node },
    status: {
      phase: started === undefined ? 'Pending' : 'Running',
      conditions: [{ type: 'Ready', ...transition }],
      containerStatuses: [{ name: 'c', containerID, restartCount: 0, state, lastState: {} }],
    },
  };
  return JSON.stringify({ at: iso(at), type: 'MODIFIED', object });
}

/** The lags, with their lines, of a cell with the victim and these versions of other pods. */
function measure(versions: readonly Told[], bySeconds?: number) {
  const story = new Story();
  // The victim itself is started 0.5 s and ready 1.75 s before the API says so.
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: isoSeconds(4) }];
  story.pod(5.75, { state: running(3), status: { conditions } });
  for (const version of versions) story.raw('pods.jsonl', versionOf(version));
  story.values(25, scopeOf(CAST.container), 'memory.events', { oom: 0, oom_kill: 0 });
  const bound = {
    measure: 'ready-lag-s',
    statistic: 'max',
    atLeast: 0,
    samples: 5,
    reason: 'as it is told',
  } as const;
  const { record, files } = story.tell({
    killer: 'none',
    survivesSeconds: 20,
    measures: [{ ...bound, ...(bySeconds === undefined ? {} : { bySeconds }) }],
  });
  const { verdict, measures, note } = judgeCapture({ record, files, expected: {} });
  return { verdict, note, points: measures?.[0]?.points.map(({ value, line }) => [value, line]) };
}

describe('how late the API tells that pods are ready', () => {
  const crowd: Told[] = [
    { at: 6, name: 'a' },
    { at: 9.5, name: 'a', started: 8 },
    { at: 20.25, name: 'a', started: 8, ready: 12 },
    { at: 22, name: 'a', started: 8, ready: 12 },
  ];

  it('is from the time that a version gives to the first version that has it', () => {
    expect(measure(crowd)).toEqual({
      verdict: 'passed',
      note: undefined,
      points: [
        [1.75, 3],
        [8.25, 6],
      ],
    });
  });

  it.each([
    ['another namespace', { namespace: 'kube-system' }],
    ['another node', { node: 'node-2' }],
    ['the time before the cell', { created: -600 }],
  ])('is not of a pod of %s', (_, other) => {
    const versions = crowd.map((version) => ({ ...version, ...other }));
    expect(measure(versions).points).toEqual([[1.75, 3]]);
  });

  it('is not known as long as it has not told of every pod', () => {
    const late = { at: 23, name: 'b', started: 20 };
    expect(measure([...crowd, late])).toMatchObject({
      verdict: 'inconclusive',
      note: expect.stringContaining('of 1 of 3 pods never, or too late, that they are ready') as string,
    });
    // From the start of the victim, at second 3: the API told at 20.25.
    expect(measure(crowd, 17).verdict).toBe('inconclusive');
    expect(measure(crowd, 18).verdict).toBe('passed');
  });
});
