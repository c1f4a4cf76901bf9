import { describe, expect, it } from 'vitest';
import { lookForComponents, lookForHealth } from '../../../lab/world/cluster-probes.ts';

const READY = { type: 'Ready', status: 'True', message: 'kubelet is posting ready status' };
const CALM = { type: 'DiskPressure', status: 'False', message: 'kubelet has no disk pressure' };

describe('a node', () => {
  it('is healthy when it is Ready and under no pressure', () => {
    expect(lookForHealth([CALM, READY])).toEqual({ done: true, value: true });
  });

  it('is not while anything presses it, Ready or not', () => {
    const pressed = { ...CALM, status: 'True', message: 'kubelet has disk pressure' };
    expect(lookForHealth([pressed, READY])).toEqual({
      done: false,
      seen: 'DiskPressure: kubelet has disk pressure',
    });
  });

  it('is not when it says so, or nothing', () => {
    expect(lookForHealth([{ ...READY, status: 'Unknown', message: 'gone' }])).toEqual({
      done: false,
      seen: 'Ready=Unknown, gone',
    });
    expect(lookForHealth()).toEqual({ done: false, seen: 'Ready=unset, no message' });
  });
});

describe('the control plane', () => {
  const healthy = (name: string) => ({
    metadata: { name },
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  });

  it('is healthy when all that the API server asked have said so', () => {
    expect(lookForComponents([healthy('scheduler'), healthy('etcd-0')])).toEqual({ done: true, value: true });
  });

  it('is not while one of them does not answer, and nothing is known of nobody', () => {
    const frozen = {
      metadata: { name: 'scheduler' },
      conditions: [{ type: 'Healthy', status: 'False', message: 'context deadline exceeded' }],
    };
    expect(lookForComponents([frozen, healthy('etcd-0')])).toEqual({
      done: false,
      seen: 'scheduler: context deadline exceeded',
    });
    expect(lookForComponents([{ metadata: { name: 'etcd-0' } }])).toEqual({ done: false, seen: 'etcd-0: ' });
    expect(lookForComponents([])).toEqual({ done: false, seen: 'no component is listed' });
  });
});
