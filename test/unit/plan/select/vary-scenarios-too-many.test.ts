import { describe, expect, it } from 'vitest';
import type { LoadedScenario } from '../../../../lab/model/declared/scenario.ts';
import { varyScenarios } from '../../../../lab/plan/select/vary-scenarios.ts';
import { configWith } from '../../project-files.ts';

describe('choices of parameters', () => {
  it('are counted before one of them is made', () => {
    const [first] = configWith().scenarios;
    const values = Array.from({ length: 20 }, (_, index) => `v${index}`);
    const names = ['p0', 'p1', 'p2', 'p3'];
    const parameter = { default: 'v0', values, describes: 'x' };
    const parameters = Object.fromEntries(names.map((name) => [name, parameter]));
    const stranger = {
      ...first!,
      scenario: { ...first!.scenario, name: 'stranger', parameters },
    } as unknown as LoadedScenario;
    const wanted = Object.fromEntries(names.map((name) => [name, ['*']]));
    expect(() => varyScenarios([stranger], wanted)).toThrow(
      'these words select 160,000 choices of parameters (stranger: p0 20 x p1 20 x p2 20 x p3 20), and a plan holds 5,000',
    );
  });
});
