import { describe, expect, it } from 'vitest';
import { parseEvents } from '../../../../lab/evidence/events.ts';
import { parsePods } from '../../../../lab/evidence/pods.ts';
import type { ContainerView, KubeEvent, PodSeen } from '../../../../lab/model/evidence/observation.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { lastVersionsOf, sortObjects, watchOf, withoutSight } from './objects-of-captures.ts';
import { isSaid, ofKind, readTexts } from './read-texts.ts';
import { hasEvents, KUBECTL, printByKubectl } from './real-kubectl.ts';

/** A restart after an OOM kill, one after a probe, an eviction, and two deletions: of a pod that has ended, and of one that has not. */
const CAPTURES = [
  'oom-single-container',
  'liveness-probe',
  'eviction-empty-dir',
  'delete-then-oom',
  'static-pod-removed',
];

const subjects = CAPTURES.map((name) => {
  const { files } = loadCapture(name);
  const pods = lastVersionsOf(files.get('pods.jsonl') ?? '', 'Pod');
  const events = lastVersionsOf(files.get('events.jsonl') ?? '', 'Event');
  return {
    name,
    served: { pods, events },
    pods: parsePods(watchOf(pods), 'pods').filter((one) => one.kind === 'pod-seen'),
    events: parseEvents(watchOf(events), 'events').filter((one) => one.kind === 'kube-event'),
  };
});

type End = Pick<ContainerView, 'reason' | 'exitCode' | 'startedAt' | 'finishedAt'>;

/** What `describe` prints of an end: the id of the one before is not in it. */
function endOf({ reason, exitCode, startedAt, finishedAt }: End): object {
  return { reason, exitCode, startedAt, finishedAt };
}

/** What `describe` prints of a pod, whether it is to go or not. */
function shownPod({ namespace, name, node, phase, reason, message, containers }: PodSeen): object {
  return {
    namespace,
    name,
    node,
    phase,
    reason,
    message: message?.trim(),
    containers: containers.map(({ last, ...now }) => ({
      name: now.name,
      role: now.role,
      id: now.id,
      state: now.state,
      restartCount: now.restartCount,
      ...endOf(now),
      last: last && endOf(last),
    })),
  };
}

/** What every table has of an event. */
function rowOf({ reason, type, objectKind, objectName, message, count }: KubeEvent): object {
  return { reason, type, objectKind, objectName, message: message.trim(), count };
}

const ALL = ['--all-namespaces'];

describe.skipIf(KUBECTL === undefined)('what the real kubectl printed (kubectl)', () => {
  it.each(subjects)(
    'says the same as the objects, as YAML and as JSON: $name',
    async ({ served, pods, events }) => {
      expect(pods.length * events.length).toBeGreaterThan(10);
      const printed = await printByKubectl(served, [
        ['get', 'pods,events', ...ALL, '-o', 'yaml'],
        ['get', 'pods,events', ...ALL, '-o', 'json'],
      ]);
      for (const text of printed) {
        const { observations, unknown } = await readTexts({ 'objects.txt': text });
        expect(unknown).toEqual([]);
        const found = observations.filter(isSaid) as (PodSeen | KubeEvent)[];
        expect(sortObjects(found.map(withoutSight))).toEqual(
          sortObjects([...pods, ...events].map(withoutSight)),
        );
      }
    },
  );

  it.each(subjects)('says the same as one pod: $name', async ({ served, pods }) => {
    const [pod] = pods.filter(({ namespace }) => namespace === 'default');
    if (pod === undefined) throw new TypeError('the capture has no pod of its own');
    const one = ['get', 'pod', pod.name, `--namespace=${pod.namespace}`, '-o'];
    for (const text of await printByKubectl(served, [
      [...one, 'yaml'],
      [...one, 'json'],
    ])) {
      const found = ofKind(await readTexts({ 'pod.txt': text }), 'pod-seen');
      expect(found.map(withoutSight)).toEqual([withoutSight(pod)]);
    }
  });

  it.each(subjects)(
    'says as much as `describe` has of the objects: $name',
    async ({ served, pods, events }) => {
      const [text = ''] = await printByKubectl(served, [['describe', 'pods', ...ALL]]);
      const found = await readTexts({ 'describe.txt': text });
      const deleted = pods.flatMap(({ name, deletionAt }) => (deletionAt === undefined ? [] : [name]));
      // Of a pod that has ended, older releases print `Terminating` in the place of the phase.
      const shown = (pod: PodSeen): object =>
        deleted.includes(pod.name) ? { ...shownPod(pod), phase: undefined } : shownPod(pod);
      expect(sortObjects(ofKind(found, 'pod-seen').map(shown))).toEqual(sortObjects(pods.map(shown)));
      const own = events.filter(({ objectUid }) =>
        pods.some(({ uid, mirrorOf = uid }) => mirrorOf === objectUid),
      );
      expect(own.length).toBeGreaterThan(3);
      const row = (event: KubeEvent): object => ({ ...rowOf(event), component: event.component });
      expect(sortObjects(ofKind(found, 'kube-event').map(row))).toEqual(sortObjects(own.map(row)));
    },
  );

  it.skipIf(!hasEvents()).each(subjects)(
    'says as much as the table of `kubectl events` has of them: $name',
    async ({ served, events }) => {
      const [text = ''] = await printByKubectl(served, [['events', ...ALL]]);
      const found = ofKind(await readTexts({ 'events.txt': text }), 'kube-event');
      expect(sortObjects(found.map(rowOf))).toEqual(sortObjects(events.map(rowOf)));
    },
  );
});
