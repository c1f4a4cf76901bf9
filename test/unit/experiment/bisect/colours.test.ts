import { describe, expect, it } from 'vitest';
import {
  countColours,
  isWorthAsking,
  readPalette,
  spellEnd,
  tallyColours,
  type BisectObservation,
} from '../../../../lab/experiment/bisect/colours.ts';
import { END_FIELDS } from '../../../../lab/model/saved/end-fields.ts';

const OOM = { killer: 'memcg-oom', level: 'container' };
const ALIVE = { killer: 'none' };
const LOST = { killer: 'runtime-lost' };
const seen = (value: string, ...ends: BisectObservation['end'][]): BisectObservation[] =>
  ends.map((end) => ({ value, end }));

describe('colours', () => {
  const ends = { good: '1.6', bad: '2.1', what: END_FIELDS };
  const observations = [
    ...seen('1.6', OOM, OOM, ALIVE),
    ...seen('2.1', OOM, ALIVE, ALIVE),
    ...seen('2.0', LOST, ALIVE, OOM),
    { value: '2.0', why: 'it does not build' },
  ];

  it('are how the ends end: green most often, red what the good end is not', () => {
    expect(readPalette(observations, ends)).toEqual({
      green: 'killer=memcg-oom level=container',
      red: 'killer=none',
    });
  });

  it('keep a third colour and what was not observed out of the tally', () => {
    const counts = countColours(observations, readPalette(observations, ends), END_FIELDS).get('2.0');
    expect(counts).toEqual({ red: 1, green: 1, other: 1, none: 1 });
    expect(counts === undefined ? undefined : tallyColours(counts)).toEqual({ count: 1, of: 2 });
  });

  it('compare only what was asked for', () => {
    const level = [...seen('1.6', OOM), ...seen('2.1', { ...OOM, level: 'pod' })];
    expect(readPalette(level, { ...ends, what: ['killer'] }).red).toBeUndefined();
    expect(readPalette(level, ends).red).toBe('killer=memcg-oom level=pod');
  });

  it('are the sides of a bound, and a run without the number is of neither', () => {
    const what = ['zombies.max.atLeast=40'];
    const at = (zombies: number): BisectObservation['end'] => ({
      ...ALIVE,
      measured: { 'zombies.max': zombies },
    });
    const untaken = { ...ALIVE, measured: {}, notMeasured: { 'zombies.max': 'no sample for 31 s' } };
    const measured = [
      ...seen('1.6', at(0), at(39)),
      // What most runs of an end have in common is not its end when nothing was measured.
      ...seen('2.1', at(40), at(900), untaken, untaken, untaken, ALIVE),
    ];
    const palette = readPalette(measured, { ...ends, what });
    expect(palette).toEqual({ green: 'zombies.max<40', red: 'zombies.max>=40' });
    const counts = countColours(measured, palette, what);
    expect(counts.get('1.6')).toEqual({ red: 0, green: 2, other: 0, none: 0 });
    expect(counts.get('2.1')).toEqual({ red: 2, green: 0, other: 4, none: 0 });
    expect(spellEnd(untaken, ['killer', ...what])).toBe(
      'killer=none zombies.max not taken: no sample for 31 s',
    );
  });

  it.each([
    { counts: { red: 0, green: 0, other: 2, none: 0 }, is: true },
    { counts: { red: 0, green: 0, other: 2, none: 1 }, is: false },
    { counts: { red: 1, green: 2, other: 3, none: 0 }, is: true },
  ])('say whether it is worth asking again: $counts', ({ counts, is }) => {
    expect(isWorthAsking(counts)).toBe(is);
  });
});
