import { describe, expect, it } from 'vitest';
import type { Attribution } from '../../../../../lab/model/saved/formats.ts';
import { judgeCapture, type Capture } from '../../../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../../../fixtures/evidence/take-away.ts';
import { judgedCases } from '../../../../fixtures/judged-cases/load-judged-case.ts';
import { STORIES } from '../../../../fixtures/told/killers/pod-lifecycle.ts';
import { dropped, KUBELET } from '../../../../fixtures/told/recast/loss.ts';
import { Story } from '../../../../fixtures/told/story.ts';
import { captureOf } from '../../../../fixtures/told/told-story.ts';

const cases = judgedCases();

function judge(capture: Capture): Attribution {
  return judgeCapture(capture).attribution;
}

const own = STORIES.filter((story) => story.killer === 'pod-lifecycle' && story.undecidable !== true);

describe('a rule of the pod itself', () => {
  it.each(own.map((story) => [story.name, story] as const))('is named with its way: %s', (_, story) => {
    const confidence = story.how === 'sidecar-done' ? 'likely' : 'proven';
    expect(judge(captureOf(story))).toMatchObject({ killer: 'pod-lifecycle', how: story.how, confidence });
  });

  // Its event is the only record of the reason for a restart of all.
  const elsewhere = own.filter(({ how }) => how !== 'restart-all-containers');

  it.each(elsewhere.map((story) => [story.name, story] as const))(
    'is not named when the kubelet never said that it stops it: %s',
    (_, story) => {
      const silent = dropped(
        dropped(captureOf(story), 'events.jsonl', /"reason":"Killing"/),
        KUBELET,
        /Killing container/,
      );
      expect(judge(silent).killer).toBe('unknown');
    },
  );

  it.each(own.map((story) => [story.name, story] as const))(
    'is no other one without the witness: %s',
    (_, story) => {
      const fewer = leaveOnly(
        captureOf(story),
        ['pods', 'events', 'kubelet', 'containerd', 'kmsg'],
        'absent',
      );
      const { killer, confidence } = judge(fewer!);
      expect(['pod-lifecycle likely', 'unknown none']).toContain(`${killer} ${confidence}`);
    },
  );
});

describe('somebody else who asks before the end', () => {
  it.each([/^K05/, /^K06/, /^K07/, /^M38/])('leaves the killer unknown, and says both: %s', (name) => {
    const [found] = cases.filter((judged) => name.test(judged.name));
    const { killer, open = [] } = judge(found!.capture);
    expect(killer).toBe('unknown');
    const why = open.find(({ what }) => what === 'whoever asked the kubelet')?.why;
    if (!/^(?:K05|M38)/.test(found!.name))
      expect(why).toMatch(/because .*api-deletion was asked for as well/);
  });
});

describe('two reasons of the kubelet', () => {
  it('are one too many', () => {
    const story = new Story().event(5.5, 'FailedPostStartHook', 'PostStartHook failed');
    story.killing(5.9, 'killing').asks(5.9).stops(6).again(8, 6, 143);
    const { killer, open = [] } = judge(story.capture());
    expect(killer).toBe('unknown');
    expect(open.map(({ why }) => why).join()).toMatch(
      /postStart hook failed, and because .*RestartAllContainers/,
    );
  });
});
