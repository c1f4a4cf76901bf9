import { describe, expect, it } from 'vitest';
import { toWeighed, weighCandidate } from '../../../../lab/case/candidates/weigh-candidate.ts';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { CaseFact } from '../../../../lab/model/saved/case.ts';

const CONFIG = loadWholeConfig({ projectDir: new URL('../../../..', import.meta.url).pathname });

function fact(name: CaseFact['name'], value: string, role: CaseFact['role'] = 'affected'): CaseFact {
  return { name, value, role, words: value, file: 'report.md', line: 1 };
}

function weigh(scenarioName: string, title: string, facts: CaseFact[]): ReturnType<typeof weighCandidate> {
  const loaded = CONFIG.scenarios.find(({ scenario }) => scenario.name === scenarioName);
  if (loaded === undefined) throw new Error(`there is no scenario ${scenarioName}`);
  const report = { title, facts, killers: [], variant: DEFAULT_VARIANT };
  return weighCandidate(report, toWeighed(CONFIG, loaded, undefined));
}

describe('what a candidate weighs', () => {
  const facts = [fact('trait', 'node shutdown'), fact('trait', 'preStop hook')];

  it('is more when it has what the title of the report says', () => {
    const untitled = weigh('node-shutdown', 'Pods end', facts).factor;
    expect(weigh('node-shutdown', 'Graceful node shutdown does nothing', facts).factor).toBeGreaterThan(
      untitled,
    );
    expect(weigh('node-shutdown', 'The preStop hook is not run', facts).factor).toBe(untitled);
  });

  it('is more when both set the same field of the kubelet, also one inside of another', () => {
    const setting = fact('setting', 'shutdownGracePeriod: 30s');
    expect(weigh('node-shutdown', '', [setting]).reasons).toEqual([
      'both set shutdownGracePeriod of the kubelet',
    ]);
    expect(weigh('swap-of-best-effort', '', [fact('setting', 'NodeSwap: true')]).reasons).toEqual([
      'both set NodeSwap of the kubelet',
    ]);
    expect(weigh('oom-single-container', '', [setting]).reasons).toEqual([]);
  });

  it('is not more for a setting that the report has only later', () => {
    const later = fact('setting', 'shutdownGracePeriod: 30s', 'works');
    expect(weigh('node-shutdown', '', [later]).reasons).toEqual([]);
  });

  it('is more for a node that does not answer where the report has one that is not ready', () => {
    expect(weigh('memory-stall', '', [fact('node', 'not ready')]).reasons).toEqual([
      'in both nobody hears of the node',
    ]);
    expect(weigh('memory-stall', '', [fact('node', 'not ready', 'absent')]).reasons).toEqual([]);
  });
});
