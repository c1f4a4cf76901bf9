import { describe, expect, it } from 'vitest';
import { conclude, type SeenEnd } from '../../../../lab/experiment/prove/conclude.ts';
import { watchNextRound, watchSecondsFor } from '../../../../lab/experiment/prove/watch-time.ts';

const died = (seconds: number): SeenEnd => ({ killer: 'runtime-lost', how: 'shim-killed', seconds });
const lived = (seconds: number): SeenEnd => ({ killer: 'none', seconds });

describe('how long a container that must live is watched', () => {
  it.each([
    [0, 30],
    [13.8, 30],
    [40, 60],
    [1000, 600],
  ])('after %d s until it died, for %d s', (took, watched) => {
    expect(watchSecondsFor(took)).toBe(watched);
  });

  it('is longer in the next round where the host is slower than that of the verdict', () => {
    expect(watchNextRound(30, 'runtime-lost', [died(22), died(40), lived(500)])).toBe(60);
    expect(watchNextRound(90, 'runtime-lost', [died(40)])).toBe(90);
    expect(watchNextRound(30, 'seccomp', [died(40)])).toBe(30);
  });

  // A real experiment: it took up to 39.7 s to die on a busy host, and 13.8 s when its verdict was saved.
  it('settles in the next round what was not watched long enough in the first', () => {
    const asItWas = [died(21.9), died(33.4), died(39.7)];
    const experiment = {
      named: { killer: 'runtime-lost', how: 'shim-killed' },
      cause: { state: 'taken', isPartial: false },
      accepted: ['runtime-lost'],
      asItWas,
      withoutCause: [lived(36.8), lived(35.9), lived(36.9)],
      innocents: [{ killer: 'seccomp', ends: asItWas }],
    } as const;
    expect(conclude(experiment)).toMatchObject({ conclusion: 'not-settled', isOpen: true });
    const seconds = watchNextRound(30, 'runtime-lost', asItWas);
    const withoutCause = [...experiment.withoutCause, ...Array.from({ length: 3 }, () => lived(seconds))];
    expect(conclude({ ...experiment, withoutCause })).toMatchObject({ conclusion: 'confirmed' });
  });
});
