import { describe, expect, it } from 'vitest';
import { attributionOf } from '../../judge-story.ts';
import { running, terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, isoSeconds } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;

describe('two who do not know of each other', () => {
  it('may both have ended it: a stranger asked it to stop, and half a second later the API', () => {
    const metadata = { deletionTimestamp: isoSeconds(36), deletionGracePeriodSeconds: 30 };
    const story = new Story().signal(5.5, { sig: 15, pid: CAST.init, sender: SHELL });
    story
      .pod(6, { state: running(3), metadata })
      .event(6, 'Killing', 'Stopping container main')
      .asks(6);
    story.runtimeStops(6.05, { sender: RUNTIME }).exit(6.4);
    story.pod(7, { state: terminated(6, 0, 'Completed'), metadata });
    const { killer, because } = attributionOf(story);
    expect(killer).toBe('unknown');
    expect(because.map(({ text }) => text).join()).toContain('bash');
  });
});
