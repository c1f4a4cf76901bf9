import { describe, expect, it } from 'vitest';
import { keepsEvidence, parseEvidenceRule } from '../../../../lab/plan/shards/evidence-rule.ts';
import { messageOf } from '../plan-words.ts';

const SEED = 'a digest';
const many = Array.from({ length: 2000 }, (_, index) => ({
  address: `default/c${index}`,
  verdict: 'passed' as const,
}));
const keptOf = (rule: string): number =>
  many.filter((cell) => keepsEvidence(parseEvidenceRule(rule), cell, SEED)).length;

describe('which evidence is kept', () => {
  it.each(['failed', 'inconclusive', 'interrupted', 'skipped'] as const)(
    'that of a cell that is %s, always',
    (verdict) => {
      expect(keepsEvidence(parseEvidenceRule('failed'), { address: 'a/b', verdict }, SEED)).toBe(true);
    },
  );

  it('of cells that passed, as large a sample as was asked for', () => {
    expect(keptOf('all')).toBe(2000);
    expect(keptOf('failed')).toBe(0);
    expect(keptOf('failed,100%')).toBe(2000);
    expect(keptOf('failed,10%')).toBeGreaterThan(140);
    expect(keptOf('failed,10%')).toBeLessThan(260);
  });

  it('the same sample for the same seed, and more of it for a larger share', () => {
    const [tenth, fifth] = ['failed,10%', 'failed,20%'].map(parseEvidenceRule);
    for (const cell of many)
      if (keepsEvidence(tenth!, cell, SEED)) expect(keepsEvidence(fifth!, cell, SEED)).toBe(true);
  });

  it.each(['', 'passed', 'failed,', 'failed,101%', 'failed,1', '1%', 'all,1%'])('refuses "%s"', (text) => {
    expect(messageOf(() => parseEvidenceRule(text))).toMatch(/^--keep-evidence takes/);
  });
});
