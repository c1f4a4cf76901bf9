import { ApiException } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { createWaitFor } from '../../../../lab/drivers/clock.ts';
import type { Kubernetes } from '../../../../lab/drivers/kubernetes/kubernetes.ts';
import type { Host } from '../../../../lab/model/host/host.ts';
import {
  awaitAddress,
  createResolvingPod,
  removeResolvingPods,
} from '../../../../lab/world/steps/resolving-pod.ts';

/** A host whose waits take no time. */
function hostWithoutTime(): Host {
  let ms = 0;
  const clock = {
    now: () => ms,
    elapsed: () => ms,
    sleep: (pause: number) => Promise.resolve(void (ms += pause)),
  };
  return { waitFor: createWaitFor(clock), clock } as unknown as Host;
}

const refused = (code: number) => new ApiException(code, 'refused', `{"message":"no ${code}"}`, {});

/** An API that answers each call of a kind with the next of its answers; an error is thrown. */
function apiThatAnswers(answers: Record<'create' | 'log' | 'remove', unknown[]>): {
  kubernetes: Kubernetes;
  calls: string[];
} {
  const calls: string[] = [];
  const next = (kind: 'create' | 'log' | 'remove') => {
    calls.push(kind);
    const answer = answers[kind].length > 1 ? answers[kind].shift() : answers[kind][0];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const core = {
    createNamespacedPod: () => next('create'),
    readNamespacedPod: () => Promise.resolve({ status: { phase: 'Pending' } }),
    deleteNamespacedPod: () => next('remove'),
  };
  return { kubernetes: { core, get: () => next('log') } as unknown as Kubernetes, calls };
}

describe('the pod that resolves a name while a cluster starts', () => {
  it('outlives an API that refuses, does not answer, or answers too late', async () => {
    const { kubernetes, calls } = apiThatAnswers({
      create: [refused(403), new Error('no answer within 10 s'), refused(409)],
      log: [new Error('socket hang up'), { status: 400, text: '' }, { status: 200, text: '10.96.0.1\n' }],
      remove: [{}, new Error('ECONNRESET'), refused(404)],
    });
    const host = hostWithoutTime();
    await createResolvingPod(host, kubernetes, 'node-1', 'log');
    await awaitAddress(host, kubernetes, 'node-1', 'log');
    await removeResolvingPods(host, kubernetes, ['node-1']);
    expect(calls).toEqual(['create', 'create', 'create', 'log', 'log', 'log', 'remove', 'remove', 'remove']);
  });

  it('ends with what the API said last when its time is up', async () => {
    const { kubernetes } = apiThatAnswers({ create: [refused(403)], log: [], remove: [] });
    await expect(createResolvingPod(hostWithoutTime(), kubernetes, 'node-1', 'log')).rejects.toMatchObject({
      code: 'LAB_PROBE_TIMEOUT',
      lastSeen: 'HTTP 403: no 403',
    });
  });
});
