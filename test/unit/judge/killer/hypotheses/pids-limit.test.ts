import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { type Capture, judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

const WITNESS = 'node-1/witness.jsonl';

/** Another container of the victim's pod. */
const SIBLING = scopeOf('77aa9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1abb');

const killerOf = (story: Story): string =>
  judgeCapture(story.tell({ killer: 'self-exit' })).attribution.killer;

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'a fork refused long before the end',
      () => {
        const story = new Story().values(4, scopeOf(CAST.container), 'pids.events', { max: 3 });
        return story
          .exit(25)
          .pod(26, { state: terminated(25, 2) })
          .tell({ killer: 'self-exit' });
      },
      'self-exit',
    ],
    [
      'a refused fork of which only the kernel tells',
      () => changed('pids-limit', WITNESS, '"max":"3"', '"max":"0"'),
      'pids-limit',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('what the counters of a pod count of another container', () => {
  it('is a refused fork, since Linux 6.11', () => {
    const story = (forker: string): Story =>
      new Story()
        .cgroup(2, SIBLING)
        .kernel(5, `cgroup: fork rejected by pids controller in ${forker}`)
        .values(5, CAST.slice, 'pids.events', { max: 40 })
        .exit(8)
        .pod(9, { state: terminated(8, 1) });
    expect(killerOf(story(SIBLING))).toBe('self-exit');
    expect(killerOf(story(scopeOf(CAST.container)))).toBe('pids-limit');
    expect(killerOf(story(CAST.slice))).toBe('pids-limit');
  });
});
