import { existsSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORPUS, findBug, FUZZ_TARGETS, readCorpus, type FuzzTarget } from '../../fixtures/fuzz-targets.ts';
import { mutate } from '../../fixtures/mutate.ts';
import { cases } from '../../fixtures/properties.ts';
import { createRandom } from '../../random.ts';
import { InternalError, UsageError } from '../../../lab/model/errors/errors.ts';

/** Of each target; the guided fuzzer tries some thousands. */
const FEW = 12;

describe('texts of strangers', () => {
  it.each(Object.entries(FUZZ_TARGETS))('are answered or refused, and break nothing: %s', (name, target) => {
    const random = createRandom(Number(fc.readConfigureGlobal().seed));
    const seeds = target.seeds();
    const mutants = Array.from({ length: cases(FEW) }, () => mutate(seeds, random));
    for (const text of [...seeds, ...readCorpus(name), ...mutants])
      expect(findBug(target, text), text.slice(0, 2000)).toBeUndefined();
  });

  it('have targets in the corpus that there are', () => {
    const folders = existsSync(CORPUS) ? readdirSync(CORPUS) : [];
    expect(folders.filter((name) => !(name in FUZZ_TARGETS))).toEqual([]);
  });
});

describe('the fuzzer', () => {
  const target = (run: () => void): FuzzTarget => ({ seeds: () => [''], run });

  it.each([
    ['an error that is no refusal', () => void (undefined as unknown as string).length, /TypeError/],
    ['an error of ours that says it is a bug', () => fail(new InternalError('x')), /x/],
  ])('calls %s a bug', (_, run, said) => {
    expect(findBug(target(run), '')).toMatch(said);
  });

  it('calls what takes long a bug', () => {
    let now = 0;
    const slow = target(() => void (now += 30_000));
    expect(findBug(slow, '', () => now)).toBe('took 30000 ms');
  });

  it('takes a refusal for an answer', () => {
    expect(
      findBug(
        target(() => fail(new UsageError('no'))),
        '',
      ),
    ).toBeUndefined();
  });

  it('makes the same texts of the same seed, and others of another', () => {
    const texts = (seed: number): string[] => {
      const random = createRandom(seed);
      return Array.from({ length: 20 }, () => mutate(['a: 1\nb: [2, 3]\n'], random));
    };
    expect(texts(1)).toEqual(texts(1));
    expect(texts(1)).not.toEqual(texts(2));
    expect(new Set(texts(1)).size).toBeGreaterThan(10);
  });
});

function fail(error: Error): never {
  throw error;
}
