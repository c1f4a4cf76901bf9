import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import {
  type Capture,
  judgeCapture,
  loadCapture,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';
import { CAST } from '../../../../fixtures/told/cast.ts';

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

const WITNESS = 'node-1/witness.jsonl';

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'a shim that went first, signalled by nobody',
      () =>
        changed('shim-killed', WITNESS, `"pid":${CAST.shim},"comm":"containerd-shim"`, '"pid":7,"comm":"x"'),
      'runtime-lost',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('a stop by the runtime', () => {
  it('is only likely that of a lost shim when the record of the signal to the shim is lost', () => {
    const capture = loadCapture('shim-killed');
    const lost = withLines(capture, WITNESS, (lines) =>
      lines.filter((line) => !/"kind":"signal".*"comm":"containerd-shim".*"sig":9/.test(line)),
    );
    expect(judgeCapture(capture).attribution.killer).toBe('runtime-lost');
    const { attribution, verdict } = judgeCapture(lost);
    expect(attribution).toMatchObject({ killer: 'runtime-lost', confidence: 'likely' });
    expect(attribution.how, 'it may have crashed').toBeUndefined();
    expect(verdict).toBe('inconclusive');
  });
});
