import { describe, expect, it } from 'vitest';
import { readPlatform } from '../../../../lab/commands/setup/config.ts';
import { ConfigError } from '../../../../lab/model/errors/errors.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { listBroken } from '../../../../lab/plan/config/broken.ts';
import { parseUsable, type Config } from '../../../../lab/plan/config/parse-config.ts';
import { findBrokenBug } from '../../../../lab/plan/select/choose-broken.ts';
import { PROJECT, SHIPPED_FILES, shippedText } from '../../project-files.ts';

const SCENARIO = 'scenarios/supercronic-zombies/scenario.yaml';
const BUG = 'bugs/supercronic-zombies.yaml';
const SYNTAX = '{';

/** The shipped project with other texts of some files. */
function usableWith(changes: Readonly<Record<string, string>>): Config {
  const kept = SHIPPED_FILES.filter(({ path }) => !Object.hasOwn(changes, path));
  const changed = Object.entries(changes).map(([path, text]) => ({ path, text }));
  return parseUsable([...kept, ...changed], readPlatform(PROJECT));
}

/** A file without its title. */
const untitled = (path: string): string => shippedText(path).replace(/^title:.*\n/m, '');

const brokenScenario = usableWith({ [SCENARIO]: untitled(SCENARIO) });
const brokenBug = usableWith({ [BUG]: untitled(BUG) });
const unreadable = usableWith({ [SCENARIO]: SYNTAX });

const namesOf = (config: Config): string[] =>
  listBroken(config.broken).map(({ kind, name }) => `${kind} ${name}`);

/** What words come to: cells, or the files that are named. */
function outcomeOf(config: Config, words: readonly string[]): string[] {
  try {
    return planCells(config, words).cells.map(({ address }) => address);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ file }) => file);
    throw error;
  }
}

describe('a broken scenario', () => {
  it.each([
    ['without its title', brokenScenario],
    ['that is no YAML', unreadable],
  ])('%s is left out, and so are its bugs', (_, config) => {
    expect(namesOf(config)).toEqual(['scenario supercronic-zombies', 'bug supercronic-zombies']);
    expect(config.scenarios.map(({ folder }) => folder)).not.toContain('scenarios/supercronic-zombies');
    expect(config.scenarios).toHaveLength(usableWith({}).scenarios.length - 1);
    expect(config.bugs.map(({ id }) => id)).not.toContain('supercronic-zombies');
  });

  it.each([
    [['supercronic-zombies']],
    [['default/supercronic-zombies']],
    [['1.36/supercronic-zombies']],
    [['supercronic-*']],
    [['scenario=supercronic-zombies']],
    [['bug=supercronic-zombies']],
    [['kubernetes=1.36', 'supercronic-zombies']],
    [['set=full']],
    [['*']],
  ])('is refused where %s chooses it', (words) => {
    expect(outcomeOf(brokenScenario, words)).toEqual([SCENARIO]);
  });

  it('is refused by its tag and its parameters, as far as they can be read', () => {
    expect(outcomeOf(brokenScenario, ['supercronic-zombies[supercronic=0.2.33]'])).toEqual([SCENARIO]);
    expect(outcomeOf(brokenScenario, ['tag=seed'])).toEqual([SCENARIO]);
  });

  it.each([[['exit-zero']], [['default/exit-*']], [['tag=oom']], [['bug=memory-high-throttles']]])(
    'stops nothing that %s chooses',
    (words) => {
      const usual = outcomeOf(usableWith({}), words);
      expect(usual.length).toBeGreaterThan(0);
      expect(outcomeOf(brokenScenario, words)).toEqual(usual);
      expect(outcomeOf(unreadable, words)).toEqual(usual);
    },
  );
});

describe('a broken scenario whose parameters cannot be read', () => {
  it('is refused where a set may choose it by them', () => {
    const matrix = shippedText('matrix.yaml').replace(
      /^sets:\n/m,
      'sets:\n  mine: { about: mine, blocks: [{ variants: {}, scenarios: [supercronic-*], parameters: { supercronic: ["0.2.33"] } }] }\n',
    );
    const withSet = (scenario: string): Config => usableWith({ 'matrix.yaml': matrix, [SCENARIO]: scenario });
    expect(outcomeOf(withSet(SYNTAX), ['set=mine'])).toEqual([SCENARIO]);
    expect(outcomeOf(withSet(untitled(SCENARIO)), ['set=mine'])).toEqual([SCENARIO]);
    expect(outcomeOf(withSet(SYNTAX), ['set=mine', 'supercronic-lost-status'])).toEqual([
      'default/supercronic-lost-status[supercronic=0.2.33]',
    ]);
  });
});

describe('a broken bug', () => {
  it('is left out by itself', () => {
    expect(namesOf(brokenBug)).toEqual(['bug supercronic-zombies']);
    expect(outcomeOf(brokenBug, ['supercronic-zombies'])).toEqual(['default/supercronic-zombies']);
  });

  it('is refused where words choose it', () => {
    expect(outcomeOf(brokenBug, ['bug=supercronic-zombies'])).toEqual([BUG]);
    expect(outcomeOf(brokenBug, ['bug=supercronic-*'])).toEqual([BUG]);
  });

  it('is found by its id and by its links', () => {
    const [link = ''] = /https:\S+/.exec(shippedText(BUG)) ?? [];
    expect(findBrokenBug(brokenBug, 'supercronic-zombies')?.name).toBe('supercronic-zombies');
    expect(findBrokenBug(brokenBug, link)?.name).toBe('supercronic-zombies');
    expect(findBrokenBug(brokenBug, 'memory-high-throttles')).toBeUndefined();
  });
});

describe('a file that everything needs', () => {
  it.each(['matrix.yaml', 'components.yaml'])('stops everything when it is broken: %s', (path) => {
    expect(() => usableWith({ [path]: SYNTAX })).toThrow(ConfigError);
  });
});
