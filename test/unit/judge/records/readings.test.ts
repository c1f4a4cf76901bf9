import { describe, expect, it } from 'vitest';
import { indexEvidence } from '../../../../lab/judge/records/evidence-index.ts';
import { oomReadings, readingsByPath, readingsIn } from '../../../../lab/judge/records/readings.ts';
import type { Observation } from '../../../../lab/model/evidence/observation.ts';

const read = (node: string, path: string, file: string, values: Record<string, string>): Observation => ({
  kind: 'cgroup-values',
  boot: `${node} 1`,
  node,
  at: 1000,
  ref: { source: 'cgroup', at: '', file: `${node}/witness.jsonl`, text: path },
  path,
  file,
  values,
});
const PEAK = read('node-1', '/pod', 'memory.peak', { '': '4096' });
const KILLS = read('node-2', '/pod', 'memory.events', { oom_kill: '1' });
const LIMIT = read('node-2', '/pod', 'memory.events.local', { oom: '1' });
const index = indexEvidence([PEAK, KILLS, LIMIT]);

describe('readings of counters', () => {
  it('are found by file', () => {
    expect(readingsIn(index, 'memory.events')).toEqual([KILLS]);
    expect(readingsIn(index, 'pids.events')).toEqual([]);
  });

  it('are found by cgroup, without those of the same path on another node', () => {
    expect([...readingsByPath(index, 'node-1')]).toEqual([['/pod', [PEAK]]]);
    expect([...readingsByPath(index, 'node-3')]).toEqual([]);
  });

  it('are found where they count OOM kills, or limits that were hit', () => {
    expect(oomReadings(index)).toEqual([KILLS, LIMIT]);
  });
});
