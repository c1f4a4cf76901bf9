import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { type Capture, judgeCapture, loadCapture } from '../../../../fixtures/evidence/load-capture.ts';

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'a container that never ran, of which only the kernel tells',
      () =>
        changedIn(
          loadCapture('container-init-oom'),
          'events.jsonl',
          'memory limit too low',
          'memory limit to know',
        ),
      'container-init-oom',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});
