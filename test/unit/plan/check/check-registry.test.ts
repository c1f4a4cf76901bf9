import { describe, expect, it } from 'vitest';
import type { ConfigProblem } from '../../../../lab/model/errors/errors.ts';
import { fillScenario } from '../../../../lab/plan/parameters/fill-scenario.ts';
import { configWith, problemsOfScenario, shippedWith } from '../../project-files.ts';

const FILE = 'scenarios/slow-pull/scenario.yaml';
const QUICK = 'scenarios/slow-pull/manifests/2-quick.yaml';
const IMAGES = 'registry.images';

/** The problems after a piece of one of the files, which must be there, was replaced. */
const problemsOf = (file: string, piece: string, other: string): readonly ConfigProblem[] =>
  problemsOfScenario(shippedWith(file, piece, other));

/** How fast the slow image comes, as a parameter. */
const RATE = 'values: [256, 4096]\n    default: 256';
const rateOf = (rate: number): string => `values: [${rate}, 4096]\n    default: ${rate}`;

describe('the registry of a scenario', () => {
  it('takes sizes from parameters, as numbers', () => {
    const loaded = configWith().scenarios.find(({ scenario }) => scenario.name === 'slow-pull')!;
    const { scenario } = fillScenario(loaded, { slowMiB: '24' });
    expect(scenario.registry?.images).toEqual([
      { image: '127.0.0.1:5000/slow:1', sizeMiB: 24, kibPerSecond: 256 },
      { image: '127.0.0.1:5000/quick:1', sizeMiB: 1 },
    ]);
  });

  it('holds images that nodes reach, of a size and at a rate that can be', () => {
    expect(problemsOf(FILE, "'127.0.0.1:5000/quick:1'", 'quick:1')).toContainEqual(
      expect.objectContaining({ path: `${IMAGES}.1.image`, received: '"quick:1"' }),
    );
    expect(problemsOf(FILE, 'sizeMiB: 1 ', 'sizeMiB: 257 ')).toMatchObject([{ path: `${IMAGES}.1.sizeMiB` }]);
    expect(problemsOf(FILE, RATE, rateOf(0))).toContainEqual(
      expect.objectContaining({ path: `${IMAGES}.0.kibPerSecond` }),
    );
    expect(problemsOf(FILE, 'kibPerSecond: ', 'kibPerSeconds: ')).toContainEqual(
      expect.objectContaining({ path: `${IMAGES}.0.kibPerSeconds`, nearest: 'kibPerSecond' }),
    );
  });

  it('is refused when an image cannot come in time, whatever the parameter', () => {
    expect(problemsOf(FILE, RATE, rateOf(100))).toEqual([
      {
        file: FILE,
        path: `${IMAGES}.0.kibPerSecond`,
        expected: 'a rate at which 24 MiB come within the 240 s of timeoutSeconds',
        received: '100, which takes 246 s',
      },
    ]);
  });

  it('names each image once, and only what somebody pulls', () => {
    const twice = problemsOf(FILE, 'quick:1', 'slow:1');
    expect(twice).toContainEqual(
      expect.objectContaining({ path: `${IMAGES}.1.image`, expected: 'a name of its own' }),
    );
    expect(problemsOf(FILE, '/quick:1', '/quik:1')).toEqual([
      {
        file: FILE,
        path: `${IMAGES}.1.image`,
        expected: 'an image of some container, or of a script',
        received: '"127.0.0.1:5000/quik:1"',
        nearest: '127.0.0.1:5000/quick:1',
      },
      {
        file: QUICK,
        path: 'document 1.spec.containers.0.image',
        expected: 'an image of `registry`',
        received: '"127.0.0.1:5000/quick:1"',
        nearest: '127.0.0.1:5000/quik:1',
      },
    ]);
  });

  it('is of no use to a container that may not pull', () => {
    expect(problemsOf(QUICK, 'IfNotPresent', 'Never')).toEqual([
      expect.objectContaining({
        path: 'document 1.spec.containers.0.imagePullPolicy',
        received: 'imagePullPolicy Never for 127.0.0.1:5000/quick:1',
      }),
    ]);
  });

  it('must be there for what only a registry measures', () => {
    const file = 'scenarios/within-limits/scenario.yaml';
    const bounds = '{ measure: pulls-at-once, atMost: 1, reason: it pulls nothing }';
    expect(problemsOf(file, 'survivesSeconds: 20', `survivesSeconds: 20\n  measures: [${bounds}]`)).toEqual([
      {
        file,
        path: 'expect.measures.0.measure',
        expected: 'a `registry`, which measures pulls-at-once',
        received: 'none',
      },
    ]);
  });
});
