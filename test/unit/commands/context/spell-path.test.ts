import { describe, expect, it } from 'vitest';
import { spellPath } from '../../../../lab/commands/context/spell-path.ts';

describe('a path that a person is shown', () => {
  it.each([
    ['/p/.lab/runs/1', '.lab/runs/1'],
    ['.lab/runs/1', '.lab/runs/1'],
    ['/p', '.'],
    ['/p/..hidden', '/p/..hidden'],
    ['/other/runs/1', '/other/runs/1'],
    ['/', '/'],
  ])('%s is %s', (path, spelt) => {
    expect(spellPath(path, '/p')).toBe(spelt);
  });
});
