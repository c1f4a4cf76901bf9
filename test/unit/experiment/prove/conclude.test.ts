import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conclude, type Experiment, type SeenEnd } from '../../../../lab/experiment/prove/conclude.ts';
import type { Killer } from '../../../../lab/model/killers/killers.ts';
import { probabilityHigher } from '../../../../lab/model/rates/rates.ts';

const OOM: SeenEnd = { killer: 'memcg-oom', how: 'group-kill', seconds: 10 };
const LIVES: SeenEnd = { killer: 'none', seconds: 30 };
const SIGNAL: SeenEnd = { killer: 'external-signal', how: 'from-node', seconds: 10 };

const ends = (end: SeenEnd, count = 3): SeenEnd[] => Array.from({ length: count }, () => end);

const RIGHT: Experiment = {
  named: { killer: 'memcg-oom', how: 'group-kill' },
  cause: { state: 'taken', isPartial: false },
  accepted: ['memcg-oom'],
  asItWas: ends(OOM),
  withoutCause: ends(LIVES),
  innocents: [{ killer: 'preemption', ends: ends(OOM) }],
};
const SURVIVOR_OF_ANOTHER: Experiment = {
  ...RIGHT,
  named: { killer: 'earlyoom' },
  accepted: ['external-signal'],
};

describe('what an experiment says of a verdict', () => {
  it.each<[string, Partial<Experiment>, string, RegExp]>([
    ['it lives without the cause only', {}, 'confirmed', /3 of 3 as it was, and in 0 of 3 without it/],
    [
      'two runs of each',
      {
        asItWas: ends(OOM, 2),
        withoutCause: ends(LIVES, 2),
        innocents: [{ killer: 'preemption', ends: ends(OOM, 2) }],
      },
      'confirmed',
      /2 of 2/,
    ],
    ['one run of each', { asItWas: ends(OOM, 1), withoutCause: ends(LIVES, 1) }, 'not-settled', /more runs/],
    [
      'it dies later of something else',
      { withoutCause: ends({ ...SIGNAL, seconds: 25 }) },
      'confirmed',
      /later of external-signal/,
    ],
    [
      'it dies as soon of something else',
      { withoutCause: ends(SIGNAL) },
      'not-settled',
      /as soon of external-signal/,
    ],
    [
      'it was not watched as long as it took to die',
      { withoutCause: ends({ ...LIVES, seconds: 9 }) },
      'not-settled',
      /not watched as long/,
    ],
    [
      'it was not watched as long as it took to die in an earlier round',
      { withoutCause: [...ends({ ...LIVES, seconds: 9 }), ...ends(LIVES)] },
      'confirmed',
      /in 0 of 3 without it/,
    ],
    [
      'it dies of it in the only run that was watched long enough',
      { withoutCause: [OOM, { ...LIVES, seconds: 9 }] },
      'not-settled',
      /in 1 of 1 without it/,
    ],
    ['it dies of it although it is gone', { withoutCause: ends(OOM) }, 'refuted', /although that is gone/],
    [
      'the cause was only made seldomer',
      {
        withoutCause: ends(OOM),
        cause: { state: 'taken', isPartial: true },
      },
      'not-settled',
      /seldomer/,
    ],
    [
      'it dies of it once without it',
      { withoutCause: [OOM, LIVES, LIVES] },
      'not-settled',
      /1 of 3 without it/,
    ],
    [
      'it lives without an innocent too',
      {
        innocents: [{ killer: 'preemption', ends: ends(LIVES) }],
      },
      'not-settled',
      /also without preemption/,
    ],
    ['no innocent could be taken away', { innocents: [] }, 'not-settled', /no innocent/],
    [
      'no run without the cause has a verdict',
      { withoutCause: [] },
      'not-settled',
      /no run without memcg-oom/,
    ],
    [
      'no run without the innocent has a verdict',
      {
        innocents: [{ killer: 'preemption', ends: [] }],
      },
      'not-settled',
      /no run without preemption/,
    ],
    ['no run as it was has a verdict', { asItWas: [] }, 'not-settled', /no run as it was/],
    ['it did not die again', { asItWas: ends(LIVES) }, 'not-settled', /it lived in all 3/],
    [
      'nothing takes the cause away',
      { cause: { state: 'none', why: 'it ended by itself' } },
      'no-intervention',
      /by itself/,
    ],
    [
      'there is nothing of the cause',
      { cause: { state: 'absent', why: 'it has no limit' } },
      'no-intervention',
      /no limit/,
    ],
    [
      'it dies of another one, with the cause or without',
      {
        ...SURVIVOR_OF_ANOTHER,
        asItWas: ends(SIGNAL),
        withoutCause: ends(SIGNAL),
      },
      'refuted',
      /never of earlyoom; without earlyoom it died the same in 3 of 3/,
    ],
    [
      'it dies of another one, and there is nothing of the cause',
      {
        ...SURVIVOR_OF_ANOTHER,
        asItWas: ends(SIGNAL),
        cause: { state: 'absent', why: 'it has no earlyoom' },
      },
      'refuted',
      /nothing had to be taken away/,
    ],
    [
      'it dies of another one, and both may happen',
      {
        ...SURVIVOR_OF_ANOTHER,
        asItWas: ends(SIGNAL),
        withoutCause: ends(SIGNAL),
        accepted: ['earlyoom'],
      },
      'not-settled',
      /by a race/,
    ],
    [
      'it dies of another one, but not without the cause',
      {
        ...SURVIVOR_OF_ANOTHER,
        asItWas: ends(SIGNAL),
      },
      'not-settled',
      /0 of 3/,
    ],
    [
      'another way that the same removal takes away',
      {
        named: { killer: 'kubelet-eviction', how: 'container-storage-limit' },
        asItWas: ends({ killer: 'kubelet-eviction', how: 'pod-storage-limit', seconds: 10 }),
        innocents: [
          {
            killer: 'seccomp',
            ends: ends({ killer: 'kubelet-eviction', how: 'container-storage-limit', seconds: 9 }),
          },
        ],
      },
      'confirmed',
      /kubelet-eviction in 3 of 3/,
    ],
    [
      'another way that needs another removal',
      {
        named: { killer: 'liveness-probe', how: 'startup-probe' },
        asItWas: ends({ killer: 'liveness-probe', how: 'liveness-probe', seconds: 10 }),
        withoutCause: ends({ killer: 'liveness-probe', how: 'liveness-probe', seconds: 10 }),
        accepted: [],
      },
      'refuted',
      /died the same/,
    ],
  ])('%s', (_, change, conclusion, says) => {
    const concluded = conclude({ ...RIGHT, ...change });
    expect(concluded.conclusion, concluded.says).toBe(conclusion);
    expect(concluded.says).toMatch(says);
  });

  const anyEnd = fc.constantFrom<SeenEnd>(OOM, LIVES, SIGNAL, { ...SIGNAL, seconds: 25 });
  const anyEnds = fc.array(anyEnd, { maxLength: 6 });
  const anyExperiment = fc.record({
    named: fc.constantFrom<Experiment['named']>(
      { killer: 'memcg-oom' },
      { killer: 'external-signal' },
      { killer: 'earlyoom' },
    ),
    cause: fc.constantFrom<Experiment['cause']>(
      { state: 'taken', isPartial: false },
      { state: 'taken', isPartial: true },
      { state: 'absent', why: 'it has none' },
      { state: 'none', why: 'nothing does' },
    ),
    accepted: fc.subarray<Killer>(['memcg-oom', 'external-signal', 'earlyoom']),
    asItWas: anyEnds,
    withoutCause: anyEnds,
    innocents: fc.array(fc.record({ killer: fc.constant<Killer>('preemption'), ends: anyEnds }), {
      maxLength: 2,
    }),
  });
  const count = (list: readonly SeenEnd[], killer: Killer): { count: number; of: number } => ({
    count: list.filter((end) => end.killer === killer).length,
    of: list.length,
  });

  it('confirms only where it never died so without the cause, and rates differ by 0.95 on both sides', () => {
    fc.assert(
      fc.property(anyExperiment, (experiment) => {
        if (conclude(experiment).conclusion !== 'confirmed') return;
        const { named, withoutCause, asItWas, innocents, cause } = experiment;
        const without = count(withoutCause, named.killer);
        expect(cause.state).toBe('taken');
        expect(without.count).toBe(0);
        for (const { ends: list } of [{ ends: asItWas }, ...innocents])
          expect(probabilityHigher(count(list, named.killer), without)).toBeGreaterThanOrEqual(0.95 - 1e-9);
        expect(innocents).not.toHaveLength(0);
      }),
    );
  });

  it('refutes only where it died twice the same without the cause', () => {
    fc.assert(
      fc.property(anyExperiment, (experiment) => {
        if (conclude(experiment).conclusion !== 'refuted') return;
        const { cause, withoutCause, asItWas } = experiment;
        const list = cause.state === 'taken' ? withoutCause : asItWas;
        const most = Math.max(
          ...['memcg-oom', 'external-signal'].map((killer) => count(list, killer as Killer).count),
        );
        expect(most).toBeGreaterThanOrEqual(2);
      }),
    );
  });

  it('says the same whatever the order of runs is', () => {
    fc.assert(
      fc.property(anyExperiment, (experiment) => {
        const turned = {
          ...experiment,
          asItWas: experiment.asItWas.toReversed(),
          withoutCause: experiment.withoutCause.toReversed(),
        };
        expect(conclude(turned).conclusion).toBe(conclude(experiment).conclusion);
      }),
    );
  });
});
