import { describe, expect, it } from 'vitest';
import { readWhat } from '../../../../lab/commands/searching/read-what.ts';
import { configWith } from '../../project-files.ts';

const { scenarios } = configWith();
const scenarioOf = (name: string): (typeof scenarios)[number] =>
  scenarios.find(({ scenario }) => scenario.name === name)!;
const CRON = scenarioOf('supercronic-zombies');

describe('--what', () => {
  it.each([
    [undefined, ['killer', 'level', 'how', 'reason']],
    ['reason, killer', ['killer', 'reason']],
    ['zombies.max.atLeast=30', ['zombies.max.atLeast=30']],
    [
      'pids.atMost=9,zombies.slope.between=-1:2,killer',
      ['killer', 'pids.atMost=9', 'zombies.slope.between=-1:2'],
    ],
    // Nobody samples it; the scenario expects something of it.
    ['forks-refused.max.atLeast=1', ['forks-refused.max.atLeast=1']],
  ])('is read: %s', (text, what) => {
    expect(readWhat(text, CRON)).toEqual(what);
  });

  it.each([
    [
      'killer,colour',
      '--what: it takes killer, level, how, process, reason and bounds of measures, not "colour"',
    ],
    ['killer,killer', '--what: killer is named twice'],
    ['zombies', 'not "zombies"'],
    ['zombies>3', '--what: "zombies>3" is not a bound such as zombies.atMost=0'],
    ['zombis.atLeast=3', '--what: there is no measure "zombis" (did you mean "zombies"?)'],
    ['oom-events.atLeast=3', '--what: supercronic-zombies does not measure oom-events'],
    ['zombies.atLeast=-1', 'zombies.last is always between 0 and 4194304'],
    ['zombies.between=9:3', '--what: between=9:3 has the larger number first'],
    [
      'colour,zombies.atLeast=-1,killer,oom-events.atMost=0,killer',
      '"colour"; zombies.last is always between 0 and 4194304; supercronic-zombies does not measure oom-events; killer is named twice',
    ],
    [',killer,,', '--what: a word is empty'],
  ])('is refused with all that is wrong: %s', (text, says) => {
    expect(() => readWhat(text, CRON)).toThrow(says);
  });

  it('says that a scenario measures nothing', () => {
    expect(() => readWhat('zombies.atLeast=3', scenarioOf('plain-exit'))).toThrow(
      'plain-exit does not measure zombies',
    );
  });
});
