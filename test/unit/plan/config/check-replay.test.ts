import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { ConfigProblem } from '../../../../lab/model/errors/errors.ts';
import { COUNT_LIMITS } from '../../../../lab/model/limits/count-limits.ts';
import type { Origin, PlannedOrigin, PlannedOriginWorld } from '../../../../lab/model/saved/origin.ts';
import { replaySchema, type Replay } from '../../../../lab/model/saved/replay.ts';
import type { ScenarioSource } from '../../../../lab/model/declared/scenario.ts';
import { checkReplayNames, compareOrigins, parseReplay } from '../../../../lab/plan/config/check-replay.ts';
import { digestOf, digestScenario } from '../../../../lab/plan/parameters/digest-scenario.ts';
import { configWith, shippedText } from '../../project-files.ts';

const config = configWith();
const SCENARIO = 'supercronic-zombies';
const { source } = config.scenarios.find(({ scenario }) => scenario.name === SCENARIO)!;
const text = shippedText(`scenarios/${SCENARIO}/scenario.yaml`);

const origin: Origin = {
  formatVersion: 1,
  scenario: { name: SCENARIO, digest: 'a'.repeat(64) },
  components: [
    { name: 'kubernetes', version: '1.34.2', digest: 'b'.repeat(64) },
    { name: 'supercronic', version: '0.2.30', digest: 'c'.repeat(64) },
  ],
};
const replay: Replay = replaySchema.parse({
  formatVersion: 1,
  run: '1122-a1',
  startedAt: '2026-11-22T10:00:00.000Z',
  accelerator: 'tcg',
  cells: [
    {
      address: `default/${SCENARIO}[supercronic=0.2.33]`,
      variant: { ...DEFAULT_VARIANT },
      scenario: SCENARIO,
      parameters: { supercronic: '0.2.33' },
      repeat: 1,
      expected: { killer: 'none' },
      versions: {},
      origin,
    },
  ],
});
const withCell = (changes: object): Replay => ({ ...replay, cells: [{ ...replay.cells[0]!, ...changes }] });

describe('the digest of a scenario', () => {
  it('changes with what any of its files says, and not with a comment', () => {
    const digestWith = (changes: Partial<ScenarioSource>): string =>
      digestScenario({ ...source, ...changes });
    const before = digestScenario(source);
    expect(digestWith({ scenario: parse(`# a comment\n${text}`) })).toBe(before);
    expect(digestWith({ scenario: parse(text.replace('atLeast: 30', 'atLeast: 31')) })).not.toBe(before);
    const script = `${source.scripts['processes.sh']}\n: done`;
    expect(digestWith({ scripts: { ...source.scripts, 'processes.sh': script } })).not.toBe(before);
    expect(digestWith({ manifests: {} })).not.toBe(before);
  });
});

describe('a replay', () => {
  it('has so many cells at most', () => {
    const problemsOf = (count: number): ConfigProblem[] => {
      const problems: ConfigProblem[] = [];
      const cells = Array.from({ length: count }, () => ({ ...replay.cells[0], origin: undefined }));
      const file = { path: 'replay.yaml', text: JSON.stringify({ ...replay, cells }) };
      expect(parseReplay(file, problems) === undefined).toBe(problems.length > 0);
      return problems;
    };
    const { count } = COUNT_LIMITS.replayedCells;
    expect(problemsOf(2)).toEqual([]);
    expect(problemsOf(count + 1)).toMatchObject([
      { file: 'replay.yaml', path: 'cells', expected: 'at most 20,000 cells', received: '20,001' },
    ]);
  });

  it('fits the project that it names', () => {
    expect(checkReplayNames('replay.yaml', replay, config)).toEqual([]);
  });

  it('is refused with a scenario or a bug that is gone, another bug, and an address of other values', () => {
    const bug = config.bugs.find(({ id }) => id === SCENARIO)!;
    const ask = (id: string, digest: string): Replay => ({
      ...replay,
      asked: {
        bug: id,
        digest,
        affected: {},
        fixed: {},
        overrides: { affected: {}, fixed: {} },
        repeat: 1,
        addresses: ['a', 'b'],
      },
    });
    const pathsOf = (changed: Replay): unknown[] =>
      checkReplayNames('replay.yaml', changed, config).map(({ path, nearest }) => [path, nearest]);
    expect(pathsOf(ask(SCENARIO, digestOf(bug)))).toEqual([]);
    expect(pathsOf(ask(SCENARIO, 'd'.repeat(64)))).toEqual([['asked.digest', undefined]]);
    expect(pathsOf(ask('supercronic-zombis', ''))).toEqual([['asked.bug', SCENARIO]]);
    expect(pathsOf(withCell({ scenario: 'supercronic-zombis' }))).toEqual([['cells.0.scenario', SCENARIO]]);
    expect(pathsOf(withCell({ parameters: { supercronic: '0.2.45' } }))).toEqual([
      ['cells.0.address', undefined],
    ]);
  });
});

describe('what a cell was made of', () => {
  const world: PlannedOriginWorld = { image: undefined, key: undefined };
  const problemsOf = (now: Partial<PlannedOrigin>, before: Origin | undefined = origin): unknown[] =>
    compareOrigins('replay.yaml', 2, before, { ...origin, world, ...now }).map(({ path, received }) => [
      path,
      received,
    ]);
  const [kubernetes, supercronic] = origin.components;

  it('is the same again', () => expect(problemsOf({})).toEqual([]));

  it('is refused with each thing that is gone or differs', () => {
    const at = 'cells.2.origin';
    expect(
      problemsOf({
        scenario: { name: SCENARIO, digest: 'e'.repeat(64) },
        components: [
          { ...kubernetes!, version: '1.34.3' },
          { ...supercronic!, digest: 'f'.repeat(64) },
        ],
      }),
    ).toEqual([
      [`${at}.scenario.digest`, 'eeeeeeeeeeee, which it has now'],
      [`${at}.components.0.version`, 'kubernetes 1.34.3'],
      [`${at}.components.1.digest`, 'ffffffffffff'],
    ]);
    const gone = { name: 'supercronic', version: '0.2.30' };
    expect(problemsOf({ components: [kubernetes!, gone] })).toEqual([
      [`${at}.components.1.digest`, 'nothing: it is gone from the cache'],
    ]);
    expect(problemsOf({ components: [kubernetes!] })).toEqual([
      [`${at}.components.1`, 'nothing: the cell does not have it any more'],
    ]);
    expect(problemsOf({}, { ...origin, components: [gone] })).toEqual([
      [`${at}.components.0.digest`, 'none: it was a local build'],
    ]);
  });

  it('is refused when nobody saved it', () => {
    expect(compareOrigins('replay.yaml', 0, undefined, { ...origin, world })).toEqual([
      expect.objectContaining({ path: 'cells.0.origin', received: 'nothing: its run did not save it' }),
    ]);
  });
});
