import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../../lab/evidence/read-evidence.ts';
import { openCase } from '../../../../../lab/judge/case/open-case.ts';
import { findOwnReasons } from '../../../../../lab/judge/case/requests/own-reasons.ts';
import { judgeCapture, type Capture } from '../../../../fixtures/evidence/load-capture.ts';
import { disrupted, running, terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST } from '../../../../fixtures/told/cast.ts';
import { reworded } from '../../../../fixtures/told/recast/loss.ts';
import { Story } from '../../../../fixtures/told/story.ts';
import { indexEvidence } from '../../../../../lab/judge/records/evidence-index.ts';

const REASON = 'FailedPostStartHook';

function reasonOf(capture: Capture): string | undefined {
  const file = openCase(capture.record, indexEvidence(readEvidence(capture.files, capture.record)));
  return file && findOwnReasons(file)[0]?.says;
}

/** The kubelet has the container stopped at 12, after these words. */
function stopped(say: (story: Story) => Story): Capture {
  return say(new Story()).asks(11.9).stops(12).again(13.8, 12.2, 143).capture();
}

/** Words of the kubelet of 1.37.2, about the container if not told otherwise. */
const said =
  (reason: string, message: string, container = 'main') =>
  (story: Story): Story =>
    story.event(11.8, reason, message, { fieldPath: container && `spec.containers{${container}}` });
const logged =
  (text: string) =>
  (story: Story): Story =>
    story.klog(11.7, 'util.go:65', `"${text}. Need to start a new one" pod="default/victim"`);

describe('why the kubelet stopped a container', () => {
  it.each<[string, (story: Story) => Story, RegExp, string | undefined]>([
    ['a postStart hook that failed', said('Killing', REASON), /postStart hook failed/, 'post-start-hook'],
    [
      'the same, in the event before',
      said(REASON, 'PostStartHook failed'),
      /postStart hook failed/,
      'post-start-hook',
    ],
    ['all containers restart', said('Killing', 'killing'), /RestartAllContainers/, 'restart-all-containers'],
    [
      'a container in an unknown state',
      said('Killing', 'Container is in "unknown" state, try killing it before restart', ''),
      /did not know its state/,
      undefined,
    ],
    [
      'a pod that its node does not admit again',
      said('UnexpectedAdmissionError', 'Allocate failed due to no healthy devices present', ''),
      /did not admit/,
      'not-admitted',
    ],
    [
      'a sandbox without an address',
      logged('Sandbox for pod has no IP address'),
      /lost its address/,
      'lost-address',
    ],
    [
      'a sandbox with other namespaces',
      logged('Sandbox for pod has changed'),
      /sandbox of its pod had changed/,
      undefined,
    ],
  ])('%s', (_, say, expected, how) => {
    const capture = stopped(say);
    expect(reasonOf(capture)).toMatch(expected);
    const { attribution } = judgeCapture(capture);
    expect(attribution).toMatchObject(
      how === undefined ? { killer: 'unknown' } : { killer: 'pod-lifecycle', how },
    );
  });

  it('a sidecar, when the main containers of its pod had ended', () => {
    const status = {
      containerStatuses: [
        { name: 'job', restartCount: 0, lastState: {}, state: terminated(11, 0, 'Completed') },
      ],
      initContainerStatuses: [
        {
          name: 'main',
          containerID: `containerd://${CAST.container}`,
          restartCount: 0,
          lastState: {},
          state: running(3),
        },
      ],
    };
    const ended = { ...status.initContainerStatuses[0], state: terminated(12, 143) };
    const story = new Story().pod(11.5, { state: {}, status }).asks(11.9).stops(12);
    const sidecar = '"spec":{"initContainers":[{"name":"main","restartPolicy":"Always"}],"nodeName"';
    story.pod(13, { state: {}, status: { ...status, initContainerStatuses: [ended] } });
    story.recast(reworded, [['"spec":{"nodeName"', sidecar]], /pods/);
    expect(reasonOf(story.capture())).toMatch(/main containers/);
  });

  it('nothing of the kind, where a probe, a deletion or nobody did it', () => {
    expect(reasonOf(new Story().probeKills(12).again(13.8, 12.2, 143).capture())).toBeUndefined();
    expect(reasonOf(new Story().deletion(12).vanishes(12.2).capture())).toBeUndefined();
    expect(reasonOf(new Story().capture())).toBeUndefined();
  });

  it('nothing that was said afterwards', () => {
    const story = new Story().heard(8).stops(8).killing(14, REASON);
    expect(reasonOf(story.again(9.8, 8.2, 143).capture())).toBeUndefined();
  });
});

describe('texts of releases since 1.32', () => {
  it('an init container that goes on running is restarted when its definition changed', () => {
    const text = 'Init container main definition changed';
    const story = new Story().stopping(11.9, CAST.container, 30, text).stops(12).again(13.8, 12.2, 143);
    expect(judgeCapture(story.capture()).attribution).toMatchObject({
      killer: 'spec-change',
      how: 'definition-changed',
    });
  });

  it('a taint of a device deletes the pod', () => {
    const status = disrupted(
      'DeletionByDeviceTaintManager',
      'Device Taint manager: deleting due to NoExecute taint',
    );
    const story = new Story().pod(11.8, { state: running(3), status });
    expect(
      judgeCapture(story.deletion(12, { status }).vanishes(12.2, 143, status).capture()).attribution,
    ).toMatchObject({
      killer: 'api-deletion',
      how: 'device-taint',
    });
  });
});
