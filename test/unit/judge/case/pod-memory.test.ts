import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';
import { judge, kubelet, pod, POD, UID, values } from '../mismatch-story.ts';

describe('a pod that was to go beyond its limit', () => {
  const MIB = 1024 * 1024;
  const expected = { killer: 'none', survivesSeconds: 60, exceedsLimit: true } as const;
  const SANDBOX = `/system.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice:cri-containerd:${'a'.repeat(64)}`;
  const survivor = (usedMiB: number | undefined, limit: string | undefined): Record<string, Observation> => ({
    born: pod(2, {}, false),
    heard: kubelet(3, 'pod-told', '"SyncLoop ADD" source="api" pods=["default/bystander"]'),
    ...(limit === undefined ? {} : { limit: values(1.6, POD, 'memory.max', limit) }),
    ...(usedMiB === undefined ? {} : { used: values(150, SANDBOX, 'memory.current', String(usedMiB * MIB)) }),
  });

  it('passes when a cgroup of its sandbox, wherever it lies, holds more than its slice may', () => {
    const { attribution, verdict } = judge(survivor(640, String(256 * MIB)), expected);
    expect(attribution.killer).toBe('none');
    expect(verdict).toBe('passed');
    const proof = attribution.because.map(({ text }) => text).join('\n');
    expect(proof).toContain(SANDBOX);
    expect(proof).toContain(`memory.max: ${256 * MIB} in ${POD}`);
  });

  it('fails when it never got there', () => {
    const { verdict, mismatches } = judge(survivor(250, String(256 * MIB)), expected);
    expect(verdict).toBe('failed');
    expect(mismatches).toEqual([
      {
        field: 'exceedsLimit',
        expected: 'memory of the pod beyond its limit of 256 MiB',
        observed: 'at most 250 MiB',
      },
    ]);
  });

  it.each([
    ['its memory', survivor(undefined, String(256 * MIB))],
    ['its limit', survivor(640, undefined)],
    ['a limit that is one', survivor(640, 'max')],
  ])('is inconclusive without %s', (_, parts) => {
    expect(judge(parts, expected).verdict).toBe('inconclusive');
  });
});
