import { describe, expect, it } from 'vitest';
import { killerOf } from '../judge-story.ts';
import { terminated } from '../../../fixtures/told/api-words.ts';
import { CAST } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

describe('what is said of a later end', () => {
  it('an event that the trace had lost by then may have been the signal', () => {
    const lost = { source: 'trace', why: 'CPU:0 [LOST 812 EVENTS]' };
    const story = (at: number): Story =>
      new Story()
        .exit(6.01)
        .pod(6, { state: terminated(6, 3) })
        .witness(at, 'lost', lost);
    expect(killerOf(story(10)), 'the ring holds newer events').toBe('unknown');
    expect(killerOf(story(25))).toBe('self-exit');
  });
});

describe('a record whose kind is not known', () => {
  it('is evidence that was lost: it may have been the signal', () => {
    const killed = (kind: string): Story =>
      new Story()
        .witness(6, kind, {
          sig: 9,
          pid: CAST.init,
          comm: 'main',
          code: 0,
          res: 0,
          senderPid: 955,
          senderComm: 'bash',
        })
        .exit(6.05)
        .pod(7, { state: terminated(6, 137) });
    expect(killerOf(killed('signal'))).toBe('external-signal');
    expect(killerOf(killed('#signal'))).toBe('unknown');
  });
});
