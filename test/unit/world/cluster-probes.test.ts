import { describe, expect, it } from 'vitest';
import { lookForHealth } from '../../../lab/world/cluster-probes.ts';

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
