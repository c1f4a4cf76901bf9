import { describe, expect, it } from 'vitest';
import { toWeighed, weighCandidate } from '../../../../lab/case/candidates/weigh-candidate.ts';
import { traitsOfScenario } from '../../../../lab/case/facts/traits.ts';
import { listSearchEntries } from '../../../../lab/case/search/search-entry.ts';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { LoadedScenario } from '../../../../lab/model/declared/scenario.ts';
import type { Trait } from '../../../../lab/model/declared/traits.ts';
import type { CaseFact } from '../../../../lab/model/saved/case.ts';

const CONFIG = loadWholeConfig({ projectDir: new URL('../../../..', import.meta.url).pathname });

function fact(name: CaseFact['name'], value: string, role: CaseFact['role'] = 'affected'): CaseFact {
  return { name, value, role, words: value, file: 'report.md', line: 1 };
}

function find(name: string): LoadedScenario {
  const loaded = CONFIG.scenarios.find(({ scenario }) => scenario.name === name);
  if (loaded === undefined) throw new Error(`there is no scenario ${name}`);
  return loaded;
}

/** A scenario of somebody else, in a project of their own. */
function strange(name: string, traits: Trait[]): LoadedScenario {
  const loaded = find('exit-one');
  return { ...loaded, scenario: { ...loaded.scenario, name, title: 'It ends.', tags: [], traits } };
}

function weigh(
  staged: string | LoadedScenario,
  title: string,
  facts: CaseFact[],
): ReturnType<typeof weighCandidate> {
  const loaded = typeof staged === 'string' ? find(staged) : staged;
  const report = { title, facts, killers: [], variant: DEFAULT_VARIANT };
  return weighCandidate(report, toWeighed(CONFIG, loaded, undefined));
}

describe('what a candidate weighs', () => {
  const facts = [fact('trait', 'node shutdown'), fact('trait', 'preStop hook')];

  it('is more when it has what the title of the report says, and less when it lacks it', () => {
    const untitled = weigh('node-shutdown', 'Pods end', facts).factor;
    expect(weigh('node-shutdown', 'Graceful node shutdown does nothing', facts).factor).toBeGreaterThan(
      untitled,
    );
    expect(weigh('node-shutdown', 'The preStop hook is not run', facts).factor).toBeLessThan(untitled);
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

  it('is more when it ends by the fault that the report names, and not by a signal that is only sent', () => {
    expect(weigh('sigsegv', '', [fact('signal', 'SIGSEGV')]).reasons).toEqual(['it ends with 139']);
    expect(weigh('sigsegv', '', [fact('signal', 'SIGSEGV', 'absent')]).reasons).toEqual([]);
    expect(weigh('exit-137', '', [fact('signal', 'SIGKILL')]).reasons).toEqual([]);
  });

  it('is less when it is about something that the report says nothing of, and only the end is alike', () => {
    const end = [fact('reason', 'OOMKilled')];
    const plain = weigh(strange('x', []), '', end).factor;
    expect(weigh(strange('x', ['exec session']), '', end).factor).toBeCloseTo(plain * 0.85 * 0.5);
    const both = [...end, fact('trait', 'swap')];
    expect(weigh(strange('x', ['swap', 'exec session']), '', both).factor).toBeCloseTo(
      weigh(strange('x', ['swap']), '', both).factor * 0.85,
    );
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

describe('the traits of a scenario', () => {
  it('are those that it names, also one in a project of their own', () => {
    const { factor, reasons } = weigh(strange('mine', ['zombies']), '', [fact('trait', 'zombies')]);
    expect(reasons).toEqual(['both have zombies']);
    expect(factor).toBeGreaterThan(weigh(strange('mine', []), '', [fact('trait', 'zombies')]).factor);
    // A report that says nothing of it is about something else.
    expect(weigh(strange('mine', ['zombies']), '', []).factor).toBeLessThan(
      weigh(strange('mine', []), '', []).factor,
    );
  });

  it('are what it is about where it names them, as those are that its title says', () => {
    const { manifests } = find('zombie-reaper');
    const shown = { ...strange('mine', []), manifests };
    const named = { ...strange('mine', ['exec probe']), manifests };
    const facts = [fact('trait', 'exec probe')];
    expect(weigh(named, '', facts).factor).toBeGreaterThan(weigh(shown, '', facts).factor);
  });

  it.each(CONFIG.scenarios.map((loaded) => [loaded.scenario.name, loaded] as const))(
    'of %s are the same whatever it is called',
    (_, loaded) => {
      const renamed = { ...loaded, scenario: { ...loaded.scenario, name: 'mine', tags: [] } };
      expect(traitsOfScenario(renamed)).toEqual(traitsOfScenario(loaded));
    },
  );

  it('are not words of the search', () => {
    const entries = (traits: Trait[]): unknown =>
      listSearchEntries({ bugs: [], scenarios: [strange('mine', traits)] }, []);
    expect(entries(['zombies'])).toEqual(entries([]));
  });
});
