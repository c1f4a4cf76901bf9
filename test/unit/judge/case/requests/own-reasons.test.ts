import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../../lab/evidence/read-evidence.ts';
import { openCase } from '../../../../../lab/judge/case/open-case.ts';
import { findOwnReasons } from '../../../../../lab/judge/case/requests/own-reasons.ts';
import { judgeCapture, type Capture } from '../../../../fixtures/evidence/load-capture.ts';
import { CAST, running, terminated } from '../../../../fixtures/evidence/story.ts';
import { disrupted } from '../../../../fixtures/told/telling/pod.ts';
import { fail, heard, remove, removed, restarted } from '../../../../fixtures/told/telling/requests.ts';
import { Scene } from '../../../../fixtures/told/telling/scene.ts';

const REASON = 'FailedPostStartHook';

function reasonOf(capture: Capture): string | undefined {
  const file = openCase(capture.record, readEvidence(capture.files, capture.record));
  return file && findOwnReasons(file)[0]?.says;
}

/** The kubelet has the container stopped at 12, after these words. */
function stopped(say: (scene: Scene) => Scene): Capture {
  const scene = say(new Scene()).asks(11.9).stops(12);
  return restarted(scene, 12.2, 143);
}

/** Words of the kubelet of 1.37.2, about the container if not told otherwise. */
const said =
  (reason: string, message: string, container = 'main') =>
  (scene: Scene): Scene =>
    scene.told(11.8, reason, message, { container });
const logged =
  (text: string) =>
  (scene: Scene): Scene =>
    scene.klog(11.7, 'util.go:65', `"${text}. Need to start a new one" pod="default/victim"`);

describe('why the kubelet stopped a container', () => {
  it.each<[string, (scene: Scene) => Scene, RegExp, string | undefined]>([
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
    const scene = new Scene().pod(11.5, { state: {}, status }).asks(11.9).stops(12);
    const capture = scene.pod(13, { state: {}, status: { ...status, initContainerStatuses: [ended] } }).end();
    const pods = (capture.files.get('pods.jsonl') ?? '').replaceAll(
      '"spec":{"nodeName"',
      '"spec":{"initContainers":[{"name":"main","restartPolicy":"Always"}],"nodeName"',
    );
    expect(reasonOf({ ...capture, files: new Map([...capture.files, ['pods.jsonl', pods]]) })).toMatch(
      /main containers/,
    );
  });

  it('nothing of the kind, where a probe, a deletion or nobody did it', () => {
    expect(reasonOf(restarted(fail(new Scene(), 12), 12.2, 143))).toBeUndefined();
    expect(reasonOf(removed(remove(new Scene(), 12), 12.2))).toBeUndefined();
    expect(reasonOf(new Scene().end())).toBeUndefined();
  });

  it('nothing that was said afterwards', () => {
    const scene = heard(new Scene(), 8).stops(8).told(14, 'Killing', REASON);
    expect(reasonOf(restarted(scene, 8.2, 143))).toBeUndefined();
  });
});

describe('texts of releases since 1.32', () => {
  it('an init container that goes on running is restarted when its definition changed', () => {
    const text = 'Init container main definition changed';
    const capture = restarted(new Scene().decides(11.9, text).killing(11.9, text).stops(12), 12.2, 143);
    expect(judgeCapture(capture).attribution).toMatchObject({
      killer: 'spec-change',
      how: 'definition-changed',
    });
  });

  it('a taint of a device deletes the pod', () => {
    const status = disrupted(
      'DeletionByDeviceTaintManager',
      'Device Taint manager: deleting due to NoExecute taint',
    );
    const scene = new Scene().pod(11.8, { state: running(3), status });
    expect(judgeCapture(removed(remove(scene, 12), 12.2, 143, status)).attribution).toMatchObject({
      killer: 'api-deletion',
      how: 'device-taint',
    });
  });
});
