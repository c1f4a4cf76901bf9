import { describe, expect, it } from 'vitest';
import type { Observation, PodSeen } from '../../../../lab/model/evidence/observation.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import { adviseOnCell } from '../../../../lab/report/words/advise.ts';
import { describeWho } from '../../../../lab/report/words/cell-words.ts';
import { event, judge, pod, story } from '../mismatch-story.ts';

const waiting = (reason: string): PodSeen['containers'] => [
  {
    name: 'bystander',
    role: 'main',
    id: '',
    state: 'waiting',
    reason,
    message: undefined,
    exitCode: undefined,
    signal: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    restartCount: 0,
    last: undefined,
  },
];

const NEVER: Outcome = { killer: 'none', neverStarts: ['CreateContainerConfigError'], survivesSeconds: 20 };
const refused = { born: pod(2, { containers: waiting('CreateContainerConfigError') }, false) };
const told = event(3, 'Pulled', 'Container image "x" already present on machine');
const sandboxless: Record<string, Observation> = {
  born: pod(2, { containers: waiting('ContainerCreating') }, false),
  told: event(5, 'FailedCreatePodSandBox', 'Failed to create pod sandbox: no range of ids is left'),
};

describe('a container that must never start', () => {
  it('passes with the reason of the waiting container, and names no killer', () => {
    const judged = judge(refused, NEVER);
    expect(judged).toMatchObject({
      verdict: 'passed',
      attribution: { killer: 'unknown', excluded: [], open: [] },
      note: expect.stringMatching(
        /^it never started: CreateContainerConfigError \(pods\.jsonl:\d+\)$/,
      ) as string,
    });
    expect(describeWho(judged)).toBe('nobody (it never started)');
    expect(adviseOnCell(judged)).toBe('make what it waits for, or change the pod: the note has the reason');
  });

  it('passes with the reason of an event about its pod', () => {
    const judged = judge(sandboxless, { ...NEVER, neverStarts: ['FailedCreatePodSandBox'] });
    expect(judged).toMatchObject({
      verdict: 'passed',
      note: expect.stringMatching(
        /^it never started: FailedCreatePodSandBox \(events\.jsonl:\d+\)$/,
      ) as string,
    });
  });

  it.each<[string, Record<string, Observation>, Outcome, string]>([
    [
      'it waits for another reason',
      { ...refused, told },
      { ...NEVER, neverStarts: ['ErrImageNeverPull'] },
      'never started: Pulled, CreateContainerConfigError',
    ],
    ['it ran', story(), NEVER, 'it ran (pods.jsonl:'],
  ])('fails when %s', (_, parts, expected, observed) => {
    const judged = judge(parts, expected);
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches[0]).toMatchObject({
      field: 'neverStarts',
      observed: expect.stringContaining(observed) as string,
    });
  });

  it('is open when it was watched for less than promised, or the words of the API were lost', () => {
    expect(judge(refused, { ...NEVER, survivesSeconds: 300 })).toMatchObject({
      verdict: 'inconclusive',
      note: 'watched for 159 s of 300 s',
    });
    const lost: Observation = {
      ...refused.born,
      kind: 'lost',
      source: 'pods',
      why: 'the stream broke off',
    } as never;
    expect(judge({ ...refused, lost }, NEVER).verdict).toBe('inconclusive');
  });
});
