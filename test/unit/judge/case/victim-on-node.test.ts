import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import { judgeCell } from '../../../../lab/judge/verdict/judge-cell.ts';
import type { CellRecord } from '../../../../lab/model/evidence/observation.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const CAPTURES = ['control-plane-killed', 'control-plane-killed--kube-apiserver'];

function judge(name: string, change: Partial<CellRecord['victim']> = {}) {
  const { record, files } = loadCapture(name);
  const asked = { ...record, victim: { ...record.victim, ...change } };
  return judgeCell(asked, readEvidence(files, asked));
}

describe('a victim that only its node knows', () => {
  it.each(CAPTURES)('is found by the sandboxes of the runtime, and its killer named: %s', (name) => {
    const { attribution, verdict } = judge(name);
    expect(attribution).toMatchObject({ killer: 'kubelet-cgroup-missing', confidence: 'likely' });
    expect(verdict).toBe('passed');
  });

  it.each(CAPTURES)('keeps open what only the API would tell: %s', (name) => {
    const open = judge(name).attribution.open?.map(({ what, why }) => `${what}: ${why}`) ?? [];
    expect(open).toContain(
      'a deletion of the pod: pods.jsonl: the API went down with the victim, and was not asked',
    );
  });

  it.each(CAPTURES)('is not taken for another pod of that node: %s', (name) => {
    expect(judge(name, { onNode: 'web-node-1' })).toMatchObject({
      attribution: { killer: 'unknown', because: [] },
      verdict: 'inconclusive',
    });
  });
});
