import { describe, expect, it } from 'vitest';
import { trimFiles } from '../../../bin/trim-files.ts';
import { parseEvents } from '../../../lab/evidence/events.ts';
import { parseKubelet } from '../../../lab/evidence/kubelet.ts';
import { parsePods } from '../../../lab/evidence/pods.ts';
import { loadCapture } from '../../fixtures/evidence/load-capture.ts';

const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
const HASH = '36b6d6be73b1065af369b3985edafa09';
const UID = '6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b';
const line = (object: object): string =>
  `${JSON.stringify({ at: '2026-01-01T00:01:00Z', type: 'MODIFIED', object })}\n`;
const time = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const at = (seconds: number): number => Date.parse(time(seconds));

describe('a pod of the API', () => {
  it('says which of its containers have a preStop hook, sidecars too', () => {
    const lifecycle = { preStop: { exec: { command: ['/bin/leave'] } } };
    const spec = {
      initContainers: [{ name: 'proxy', restartPolicy: 'Always', lifecycle }],
      containers: [
        { name: 'main', lifecycle },
        { name: 'other', lifecycle: { postStart: {} } },
      ],
    };
    const parse = (of: object): object | undefined =>
      parsePods(line({ metadata: {}, spec: of, status: {} }), 'f')[0];
    expect(parse(spec)).toMatchObject({ preStop: ['proxy', 'main'] });
    expect(parse({ containers: [{ name: 'main' }] })).toMatchObject({ preStop: undefined });
  });

  const status = (name: string, scheme: string): object => ({
    name,
    containerID: `${scheme}://${ID}`,
    state: { running: { startedAt: time(1) } },
    lastState: { terminated: { containerID: `${scheme}://${ID}`, exitCode: 1 } },
  });

  it('has no start of a container that never ran, which the API dates at the beginning of 1970', () => {
    const never = {
      exitCode: 128,
      reason: 'StartError',
      startedAt: '1970-01-01T00:00:00Z',
      finishedAt: time(4),
    };
    const object = {
      metadata: {},
      status: {
        containerStatuses: [
          { name: 'now', state: { terminated: never } },
          { name: 'before', state: { waiting: {} }, lastState: { terminated: never } },
        ],
      },
    };
    expect(parsePods(line(object), 'f')[0]).toMatchObject({
      containers: [
        { startedAt: undefined, finishedAt: at(4) },
        { last: { startedAt: undefined, finishedAt: at(4) } },
      ],
    });
  });

  it('has containers of several kinds, of any runtime', () => {
    const object = {
      metadata: {},
      spec: {
        initContainers: [{ name: 'first' }, { name: 'beside', restartPolicy: 'Always' }],
        terminationGracePeriodSeconds: 7,
      },
      status: {
        initContainerStatuses: [status('first', 'containerd'), status('beside', 'cri-o')],
        containerStatuses: [status('main', 'docker')],
        ephemeralContainerStatuses: [status('debugger', 'cri-o')],
      },
    };
    const same = { id: ID, last: { id: ID } };
    expect(parsePods(line(object), 'f')[0]).toMatchObject({
      gracePeriodSeconds: 7,
      containers: [
        { name: 'first', role: 'init', ...same },
        { name: 'beside', role: 'sidecar', ...same },
        { name: 'main', role: 'main', ...same },
        { name: 'debugger', role: 'ephemeral', ...same },
      ],
    });
  });

  it('that is static has another uid on its node', () => {
    const annotations = { 'kubernetes.io/config.hash': HASH, 'kubernetes.io/config.mirror': HASH };
    const [pod] = parsePods(line({ metadata: { uid: UID, annotations }, spec: {}, status: {} }), 'f');
    expect(pod).toMatchObject({ uid: UID, mirrorOf: HASH });
  });
});

describe('an event', () => {
  const about = { kind: 'Pod', name: 'a', uid: UID };

  it('of core/v1 that was written several times has a first and a last time', () => {
    const object = {
      involvedObject: about,
      source: { component: 'kubelet' },
      reportingComponent: 'kubelet',
      firstTimestamp: time(10),
      lastTimestamp: time(50),
      eventTime: null,
      count: 3,
    };
    expect(parseEvents(line(object), 'f')[0]).toMatchObject({
      at: at(50),
      firstAt: at(10),
      lastAt: at(50),
      deliveredAt: at(60),
      component: 'kubelet',
      count: 3,
    });
  });

  it('of a series that another API wrote has its times elsewhere', () => {
    const object = {
      involvedObject: about,
      source: { component: '' },
      reportingComponent: 'default-scheduler',
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: time(10),
      series: { count: 4, lastObservedTime: time(50) },
    };
    const wanted = { at: at(50), firstAt: at(10), lastAt: at(50), component: 'default-scheduler', count: 4 };
    expect(parseEvents(line(object), 'f')[0]).toMatchObject(wanted);
  });

  it('of events.k8s.io/v1 has other names for the same', () => {
    const object = {
      regarding: about,
      note: 'Stopping container a',
      reportingController: '',
      deprecatedSource: { component: 'kubelet' },
      deprecatedFirstTimestamp: time(10),
      deprecatedLastTimestamp: time(50),
      deprecatedCount: 2,
      eventTime: null,
    };
    const wanted = { at: at(50), firstAt: at(10), component: 'kubelet', count: 2, objectUid: UID };
    expect(parseEvents(line(object), 'f')[0]).toMatchObject(wanted);
  });

  it('without any time is known by its delivery', () => {
    const [event] = parseEvents(line({ involvedObject: about }), 'f');
    expect(event).toMatchObject({ at: at(60), firstAt: undefined, lastAt: undefined, count: 1 });
  });
});

describe('the kubelet', () => {
  const killing = (uid: string, scheme: string): string =>
    `${JSON.stringify({
      __REALTIME_TIMESTAMP: '1760000008050000',
      MESSAGE: `"Killing container with a grace period" pod="a/b" podUID="${uid}" containerID="${scheme}://${ID}" gracePeriod=30`,
    })}\n`;

  it.each(['containerd', 'cri-o', 'docker'])('names a container of %s', (scheme) => {
    expect(parseKubelet(killing(UID, scheme), 'f')[0]).toMatchObject({ containerId: ID, podUid: UID });
  });

  it('names a static pod by the hash of its configuration', () => {
    expect(parseKubelet(killing(HASH, 'containerd'), 'f')[0]).toMatchObject({ podUid: HASH });
    const died = `"SyncLoop (PLEG): event for pod" pod="a/b" event={"ID":"${HASH}","Type":"ContainerDied","Data":"${ID}"}`;
    const entry = `${JSON.stringify({ __REALTIME_TIMESTAMP: '1760000008050000', MESSAGE: died })}\n`;
    expect(parseKubelet(entry, 'f')[0]).toMatchObject({ podUid: HASH, containerId: ID });
  });
});

describe('a trimmed capture', () => {
  it('keeps who a static pod is, which init containers stay, and no other annotation', () => {
    const { record, files } = loadCapture('oom-single-container');
    const pods = (files.get('pods.jsonl') ?? '').split('\n').filter((line) => line !== '');
    const changed = pods.map((pod) => {
      const watched = JSON.parse(pod) as { object: { metadata: object; spec: object } };
      const { metadata, spec } = watched.object;
      const annotations = { 'kubernetes.io/config.mirror': HASH, hush: 'x' };
      const initContainers = [{ name: 'a', image: 'i', env: [{ value: 'x' }], restartPolicy: 'Always' }];
      const object = {
        ...watched.object,
        metadata: { ...metadata, annotations },
        spec: { ...spec, initContainers },
      };
      return JSON.stringify({ ...watched, object });
    });
    const trimmed = trimFiles(new Map([...files, ['pods.jsonl', `${changed.join('\n')}\n`]]), record);
    const [first] = (trimmed.get('pods.jsonl') ?? '').split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({
      object: {
        metadata: { annotations: { 'kubernetes.io/config.mirror': HASH } },
        spec: { initContainers: [{ name: 'a', image: 'i', restartPolicy: 'Always' }] },
      },
    });
    expect(first).not.toMatch(/hush|"env"/);
  });
});
