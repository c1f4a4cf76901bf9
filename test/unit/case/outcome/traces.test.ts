import { describe, expect, it } from 'vitest';
import { readCase } from '../../../../lab/case/answer/read-case.ts';
import {
  concludeCase,
  type ReportedDeath,
  type StagedCell,
} from '../../../../lab/case/outcome/conclude-case.ts';
import type { Observation, PodSeen } from '../../../../lab/model/evidence/observation.ts';
import { stageCapture } from '../../../fixtures/evidence/stage-capture.ts';

const OOM = stageCapture('oom-single-container');
const LIVES = stageCapture('within-limits');

async function reportOf(text: string): Promise<ReportedDeath> {
  const { traces, killers } = await readCase([{ path: 'report.md', text: `# It dies\n\n${text}\n` }]);
  return { traces, killer: killers[0] };
}

/** What the cell saw, with its pods changed. */
function withPods(change: (pod: PodSeen) => Observation[]): StagedCell {
  return {
    ...OOM,
    observations: OOM.observations.flatMap((seen) => (seen.kind === 'pod-seen' ? change(seen) : [seen])),
  };
}

/** Every end that the pod tells has another reason. */
function reasoned(pod: PodSeen, reason: string): PodSeen {
  return {
    ...pod,
    containers: pod.containers.map((container) => ({
      ...container,
      ...(container.state === 'terminated' && { reason }),
      last: container.last === undefined ? undefined : { ...container.last, reason },
    })),
  };
}

function coded(pod: PodSeen, exitCode: number): PodSeen {
  return {
    ...pod,
    containers: pod.containers.map((container) => ({
      ...container,
      ...(container.state === 'terminated' && { exitCode }),
      last: container.last === undefined ? undefined : { ...container.last, exitCode },
    })),
  };
}

const SAID = 'It ends with exit code 137, Reason: OOMKilled.';

describe('a told result', () => {
  it.each([
    ['both are in the cell', SAID],
    ['what it denies is not in the cell', `${SAID} The reason is not Evicted.`],
  ])('is reproduced when %s', async (_, text) => {
    expect(concludeCase(await reportOf(text), OOM, LIVES).outcome).toBe('reproduced');
  });

  it.each<[what: string, text: string, cell: StagedCell, because: RegExp]>([
    ['the exit code differs', 'exit code 143, Reason: OOMKilled', OOM, /exit code 143 is 137 here/],
    ['the reason differs', 'exit code 137, Reason: Error', OOM, /reason Error/],
    [
      'another container has the exit code',
      SAID,
      withPods((pod) => [reasoned(pod, 'Error'), reasoned(coded(pod, 1), 'OOMKilled')]),
      /of another container/,
    ],
    [
      'only a pod of the cluster has the reason',
      SAID,
      withPods((pod) => [reasoned(pod, 'Error'), { ...pod, namespace: 'kube-system' }]),
      /reason OOMKilled/,
    ],
    [
      'the report denies the reason',
      'exit code 137, Reason: OOMKilling, and the reason is never set to OOMKilled',
      OOM,
      /reason OOMKilled is here, and the report says that it was not/,
    ],
    [
      'the report denies an OOM kill',
      'exit code 137, Reason: Error, and there was no OOM',
      withPods((pod) => [reasoned(pod, 'Error')]),
      /OOM kill is here, and the report says that it was not/,
    ],
    [
      'an event of the report is missing',
      `${SAID}\n\n  Warning  FailedKillPod  3m  kubelet`,
      OOM,
      /FailedKillPod/,
    ],
    [
      'an error of the report is missing',
      `${SAID}\n\nrpc error: code = Unknown desc = failed to stop container: device or resource busy`,
      OOM,
      /message .* is missing/,
    ],
    ['the node of the report hung', `${SAID} Then the node hangs.`, OOM, /node hung is missing/],
    [
      'the report is about a resize',
      `${SAID} It was an in-place pod resize.`,
      OOM,
      /trait in-place resize is missing/,
    ],
    ['a process of the report crashed', `${SAID} The log says SIGSEGV.`, OOM, /signal SIGSEGV is missing/],
    ['the report has one trace', 'exit code 137', OOM, /too little/],
    [
      'the report only has what it denies',
      'The reason is not Error, and there was no OOM.',
      LIVES,
      /too little/,
    ],
    ['nobody was killed', SAID, LIVES, /is missing/],
    [
      'the judge names nobody',
      SAID,
      { ...OOM, result: { ...OOM.result, attribution: { ...OOM.result.attribution, killer: 'unknown' } } },
      /names no killer/,
    ],
    [
      'the cell was not observed',
      SAID,
      { ...OOM, result: { ...OOM.result, verdict: 'inconclusive', note: 'the log is cut' } },
      /the log is cut/,
    ],
  ])('is not reproduced when %s', async (_, text, cell, because) => {
    const tried = concludeCase(await reportOf(text), cell, LIVES);
    expect(tried.outcome).toBe('not-reproduced');
    expect(tried.because).toMatch(because);
  });

  it('is not reproduced by a node that only was not ready before it first was', async () => {
    const report = await reportOf(`${SAID} The node was NotReady.`);
    const ref = OOM.observations[0]?.ref;
    const nodes = ['False', 'True'].map((Ready) => ({
      kind: 'node-seen',
      ref,
      at: 0,
      conditions: { Ready },
    }));
    const cell: StagedCell = {
      ...OOM,
      observations: [...(nodes as unknown as Observation[]), ...OOM.observations],
    };
    expect(concludeCase(report, cell, LIVES).because).toContain('not ready');
  });
});
