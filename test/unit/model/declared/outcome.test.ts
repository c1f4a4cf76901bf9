import { describe, expect, it } from 'vitest';
import { listProcessNames } from '../../../../lab/model/declared/outcome.ts';

describe('the processes in no pod whose ends a node records', () => {
  it('are those that have to die on it, each name once', () => {
    const alsoDies = [
      'node-1/process/night-watch',
      'node-*/process/night-watch',
      'node-2/process/etcd*',
      'default/eater/sidecar',
    ];
    expect(listProcessNames('node-1', alsoDies)).toEqual(['night-watch']);
    expect(listProcessNames('node-2', alsoDies)).toEqual(['night-watch', 'etcd*']);
  });

  it('are none where only containers have to die', () => {
    expect(listProcessNames('node-1', ['default/eater/sidecar'])).toEqual([]);
  });
});
