import { describe, expect, it } from 'vitest';
import { formatHint, nearestName } from '../../../../lab/model/text/nearest.ts';

const VERBS = [
  'list',
  'run',
  'why',
  'sbom',
  'report',
  'explain',
  'lock',
  'logs',
  'new',
  'down',
  'diff',
  'gc',
];

describe('the nearest name', () => {
  it.each([
    ['lst', 'list'],
    ['lsit', 'list'],
    ['rum', 'run'],
    ['LIST', 'list'],
    ['reprot', 'report'],
    ['explan', 'explain'],
    ['dif', 'diff'],
    ['expl', 'explain'],
    ['runs', 'run'],
  ])('of %j is %j', (word, name) => {
    expect(nearestName(word, VERBS)).toBe(name);
  });

  it.each([
    ['show', VERBS],
    ['test', VERBS],
    ['nope', ['home', 'pope']],
    ['cold', ['told', 'gold', 'scold']],
    ['x', VERBS],
    ['file', ['tini', 'vile', 'nice']],
    ['1.21', ['1.22', '1.31', '1.27']],
    ['', ['gc', 'list']],
  ])('of %j is none in %j', (word, names) => {
    expect(nearestName(word, names)).toBeUndefined();
  });

  it.each([
    ['plain-exits', ['plain-exit', 'plain-exec'], 'plain-exit'],
    ['cilum@1.16.0', ['cilium@1.16.0', 'flannel'], 'cilium@1.16.0'],
    ['136', ['1.35', '1.36'], '1.36'],
    ['20250101-0901-before', ['20250101-0900-before'], '20250101-0900-before'],
    ['gvisor-limit-not-enforcd', ['gvisor-limit-not-enforced'], 'gvisor-limit-not-enforced'],
  ])('of %j in %j is %j', (word, names, name) => {
    expect(nearestName(word, names)).toBe(name);
  });

  it('is not said where there is none: what there is is listed, when that is short', () => {
    expect(formatHint('1.3', ['1.1', '1.2'])).toBe(' (there are: 1.1, 1.2)');
    expect(formatHint('show', [...VERBS, 'up'])).toBe('');
  });
});
