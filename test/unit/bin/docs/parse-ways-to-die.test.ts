import { describe, expect, it } from 'vitest';
import { ConfigError, formatError } from '../../../../lab/model/errors/errors.ts';
import type { WayToDie } from '../../../../lab/model/declared/ways-to-die.ts';
import { parseWaysToDie } from '../../../../bin/docs/parse-ways-to-die.ts';
import { configWith, readProjectText } from '../../project-files.ts';

const WAYS_FILE = 'docs/ways-to-die.yaml';
const shippedWays = (): WayToDie[] => parseWaysToDie(WAYS_FILE, readProjectText(WAYS_FILE));

describe('the ways to die', () => {
  const ways = shippedWays();

  it('are the 50 of the taxonomy, in their order', () => {
    expect(ways.map(({ row }) => row)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('name scenarios that exist', () => {
    const known = configWith().scenarios.map(({ scenario }) => scenario.name);
    const unknown = ways.flatMap(({ scenarios = [] }) => scenarios).filter((name) => !known.includes(name));
    expect(unknown).toEqual([]);
  });

  it.each([
    [
      'both scenarios and a reason',
      '{ row: 1, name: x, scenarios: [y], whyNot: z }',
      /either scenarios or whyNot/,
    ],
    ['neither', '{ row: 1, name: x }', /either scenarios or whyNot/],
    ['a gap in the numbers', '{ row: 2, name: x, whyNot: z }', /count from 1/],
    ['an unknown field', '{ row: 1, name: x, whynot: z }', /whyNot/],
  ])('are refused with %s', (_, row, problem) => {
    const text = `formatVersion: 1\nways:\n  - ${row}\n`;
    expect(() => parseWaysToDie(WAYS_FILE, text)).toThrow(ConfigError);
    try {
      parseWaysToDie(WAYS_FILE, text);
    } catch (error) {
      expect(formatError(error)).toMatch(problem);
    }
  });
});
