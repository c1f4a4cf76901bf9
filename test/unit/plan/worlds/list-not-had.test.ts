import { describe, expect, it } from 'vitest';
import { loadWholeConfig } from '../../../../lab/commands/setup/config.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';

const CONFIG = loadWholeConfig({ projectDir: new URL('../../../..', import.meta.url).pathname });
const WHY = { day: '2026-11-27', why: 'gomod: the module proxy answers 403' };
const notesOf = (word: string, options: Parameters<typeof planCells>[2]): string[] =>
  planCells(CONFIG, [word], options).notes.map(
    ({ note, variants }) => `${variants.join(' ')}: ${note.reason}`,
  );

describe('a component that no source had when it was last asked for', () => {
  it.each([
    ['of a node', 'default/plain-exit', `coredns-1.12.1`, 'coredns 1.12.1'],
    [
      'of an image of the scenario',
      'default/supercronic-zombies',
      'supercronic-0.2.30',
      'supercronic 0.2.30',
    ],
  ])('%s is said before anything is started', (_, word, key, name) => {
    expect(notesOf(word, { notHad: new Map([[key, WHY]]) })).toEqual([
      `default: ${name} could not be had on 2026-11-27 (gomod: the module proxy answers 403); a run asks for it again`,
    ]);
  });

  it('is not said of what the cache has since, nor of what no cell needs', () => {
    const notHad = new Map([['coredns-1.12.1', WHY]]);
    expect(notesOf('default/plain-exit', { notHad, made: new Set(['coredns-1.12.1']) })).toEqual([]);
    expect(notesOf('default/plain-exit', { notHad: new Map([['coredns-1.8.4', WHY]]) })).toEqual([]);
    expect(DEFAULT_VARIANT.kubernetes).toBe('1.34');
  });
});
