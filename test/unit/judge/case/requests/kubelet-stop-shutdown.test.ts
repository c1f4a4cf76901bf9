import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../../fixtures/told/api-words.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;

describe('one changed fact is another way, or a weaker proof', () => {
  it.each([
    ['its condition, where it succeeded', 'pods'],
    ["the kubelet's own line, where the API went down too early to be told", 'kubelet'],
  ])('a node that goes down is told by %s', (_what, teller) => {
    const message = 'Pod was terminated in response to imminent node shutdown.';
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message };
    const story = new Story().runtimeStops(6, { sender: RUNTIME });
    if (teller === 'kubelet')
      story.kubelet(
        5,
        'I1 x "Shutdown manager killing pod with gracePeriod" pod="default/victim" gracePeriod=1',
      );
    const status = { phase: 'Succeeded', conditions: teller === 'pods' ? [condition] : [] };
    story.exit(6.1).pod(7, { state: terminated(6, 0, 'Completed'), status });
    const judged = judgeCapture(story.tell({ killer: 'node-shutdown' }));
    expect(judged).toMatchObject({ verdict: 'passed', attribution: { killer: 'node-shutdown' } });
  });
});
