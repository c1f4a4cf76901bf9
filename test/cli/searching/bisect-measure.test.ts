import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellResult } from '../../../lab/model/saved/formats.ts';
import { askBisect, withoutSearchId } from '../support/ask-bisect.ts';
import { captureCell, writeSearchedRun } from '../support/searched-runs.ts';

let home: string;
let capture: Awaited<ReturnType<typeof captureCell>>;

const newState = (): string => mkdtempSync(join(home, 'state-'));

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-bisect-'));
  capture = await captureCell(home);
});
afterAll(() => rmSync(home, { recursive: true }));

describe('bisect by a measure', () => {
  const cellOf = (version: string): string => `default/supercronic-zombies[supercronic=${version}]`;
  const words = ['--axis', 'supercronic', '--good', '0.2.48', '--bad', '0.2.32', '--saved'];
  /** Every run survives: only the number differs. The fourth version was run, and nobody counted. */
  const zombies: Readonly<Record<string, number | string>> = {
    '0.2.32': 44,
    '0.2.33': 41,
    '0.2.44': 'no sample for 31 s',
    '0.2.45': 2,
    '0.2.48': 0,
  };
  const count = (max: number | string): NonNullable<CellResult['measures']> => {
    const of = { measure: 'zombies', unit: '', points: [], bounds: [] };
    return [typeof max === 'number' ? { ...of, n: 40, max } : { ...of, n: 9, max: 0, missing: max }];
  };
  const tellZombies = (): string[] =>
    Array.from({ length: 7 }, (_, index) =>
      writeSearchedRun(
        home,
        `20260102-00000${index}-zombies`,
        capture,
        Object.entries(zombies).map(([version, max]) => ({
          address: cellOf(version),
          end: 'alive',
          measures: count(max),
        })),
      ),
    );

  it('tells ends apart that nobody killed, and takes no side where it was not measured', async () => {
    const state = newState();
    const asked = [cellOf('0.2.32'), ...words, ...tellZombies(), '--what', 'killer,zombies.max.atLeast=30'];
    const { status, answer } = await askBisect(state, ...asked);
    expect([status, answer.ends]).toEqual([
      0,
      { green: 'killer=none zombies.max<30', red: 'killer=none zombies.max>=30' },
    ]);
    expect(answer.lines[0]).toMatchObject({ lastGood: '0.2.45', firstBad: '0.2.33' });
    expect(answer.versions.find(({ value }) => value === '0.2.44')).toMatchObject({
      red: 0,
      green: 0,
      other: 3,
      others: ['killer=none zombies.max not taken: no sample for 31 s'],
    });
    expect(withoutSearchId((await askBisect(state, '--resume', '--dry-run')).answer)).toEqual(
      withoutSearchId(answer),
    );
  });

  it('says that the ends do not differ by another bound', async () => {
    const asked = [cellOf('0.2.32'), ...words, ...tellZombies(), '--what', 'zombies.max.atLeast=50'];
    const { status, answer } = await askBisect(newState(), ...asked);
    expect([status, answer.ends]).toEqual([3, { green: 'zombies.max<50' }]);
  });
});
