import { describe, expect, it } from 'vitest';
import { problemsOfScenario, shippedText } from '../../project-files.ts';

describe('others who have to die and to survive', () => {
  const file = 'scenarios/delegated-scope/scenario.yaml';

  it('are refused: an entry of variants changes single fields, so that the other one still holds', () => {
    const text = shippedText(file).replace(
      '  mayDie:',
      '  alsoSurvives: [default/bystander/bystander]\n  mayDie:',
    );
    expect(problemsOfScenario({ [file]: text })).toMatchObject([
      {
        file,
        path: 'variants.1.expect.alsoDies',
        received: '"default/bystander/bystander"',
      },
    ]);
  });

  it('may be others', () => {
    const text = shippedText(file).replace('  mayDie:', '  alsoSurvives: [default/other/other]\n  mayDie:');
    expect(problemsOfScenario({ [file]: text })).toEqual([]);
  });
});
