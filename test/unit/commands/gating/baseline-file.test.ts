import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBaseline } from '../../../../lab/commands/gating/baseline-file.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { Baseline, GatedCell } from '../../../../lab/model/saved/gate.ts';

const DEATH = { killer: 'memcg-oom' as const, count: 2, claims: [], because: [], evidence: 'run/cells/a' };
const CELL: GatedCell = {
  address: 'default/a',
  variant: DEFAULT_VARIANT,
  scenario: 'a',
  accelerator: 'tcg',
  versions: {},
  of: 3,
  deaths: [DEATH, { ...DEATH, killer: 'none', count: 1 }],
  undecided: [],
  seconds: [20, 21, 25],
};
const BASELINE: Baseline = {
  formatVersion: 1,
  kind: 'baseline',
  version: '0.1.0',
  recordedAt: '2026-01-01T00:00:00.000Z',
  runs: ['20260101-0900-abcd'],
  cells: [CELL],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-baseline-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Reads a file with this text. */
function read(text: string): Baseline {
  const path = join(folder, 'a baseline.json');
  writeFileSync(path, text);
  return readBaseline(path);
}

const withCells = (...cells: unknown[]): string => JSON.stringify({ ...BASELINE, cells });

describe('readBaseline', () => {
  it('reads what was recorded', () => {
    expect(read(JSON.stringify(BASELINE))).toEqual(BASELINE);
  });

  it('gives the cells of an old one the addresses that they have today', () => {
    const old = { ...CELL, address: 'runc@1.4.3/a', variant: { ...DEFAULT_VARIANT, runtime: 'runc@1.4.3' } };
    const beside = { ...old, versions: { runc: '1.1.5', 'runc-under-test': '1.4.3' } };
    expect(read(withCells({ ...old, versions: { runc: '1.4.3' } }, beside)).cells).toMatchObject([
      { address: 'runc@1.4.3+everywhere/a', variant: { runtime: 'runc@1.4.3+everywhere' } },
      { address: 'runc@1.4.3/a', variant: { runtime: 'runc@1.4.3' } },
    ]);
  });

  it.each<[what: string, text: string, says: string]>([
    ['an empty file', '\n', ' is not a baseline: it is empty'],
    ['text', 'runc is fine', ' is not a baseline: it is not JSON, or only a part of it'],
    [
      'one that was cut off',
      JSON.stringify(BASELINE).slice(0, 200),
      ' is not a baseline: it is not JSON, or only a part of it',
    ],
    ['null', 'null', ' is not a baseline: it is JSON without fields'],
    ['a list', JSON.stringify([BASELINE]), ' is not a baseline: it is JSON without fields'],
    [
      'an object without a version',
      '{}',
      ': it is not a baseline: formatVersion: expected 1, received nothing',
    ],
    [
      'another format',
      JSON.stringify({ ...BASELINE, formatVersion: 2 }),
      ': it has the format 2, and this whodunit reads 1',
    ],
    [
      'another file of a run',
      JSON.stringify({ ...BASELINE, kind: undefined }),
      ': it is not a baseline: kind: expected "baseline", received nothing',
    ],
    [
      'one without cells',
      JSON.stringify({ ...BASELINE, cells: undefined }),
      ': it is not a baseline: cells: expected a list, received nothing',
    ],
    [
      'a negative count',
      withCells({ ...CELL, of: -3 }),
      ': it is not a baseline: cells.0.of: expected a number, at least 0, received -3',
    ],
    ['a cell twice', withCells(CELL, CELL), ': it contradicts itself: default/a is in it twice'],
    [
      'a death that was taken out',
      withCells({ ...CELL, deaths: [DEATH] }),
      ': it contradicts itself: default/a has 3 trials, and 2 deaths',
    ],
    [
      'a time that was taken out',
      withCells({ ...CELL, seconds: [20, 21] }),
      ': it contradicts itself: default/a has 3 trials, and times of 2',
    ],
  ])('refuses %s with one clear message', (_, text, says) => {
    const path = join(folder, 'a baseline.json');
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'LAB_USAGE',
        message: `${path}${says}`,
        tryNext: `npx whodunit gate --for <program> --record '${path}'`,
      }),
    );
  });
});
