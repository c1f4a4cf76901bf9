import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { type Capture, judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'an exit with 159 and no word of seccomp',
      () => changed('seccomp-audit-only', 'node-1/kmsg.log', 'type=1326', 'type=1400'),
      'self-exit',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('a forbidden system call', () => {
  it.each(['seccomp-signal', 'seccomp-audit-only'])('is blamed for the end in %s', (name) => {
    expect(judgeCapture(told(name)).attribution).toMatchObject({ killer: 'seccomp', process: 'init' });
  });
});
