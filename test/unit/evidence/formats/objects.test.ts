import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseCri } from '../../../../lab/evidence/cri.ts';
import { parseEvents } from '../../../../lab/evidence/events.ts';
import { parsePods } from '../../../../lab/evidence/pods.ts';
import type { KubeEvent, Observation, PodSeen } from '../../../../lab/model/evidence/observation.ts';
import { loadCapture, sampledCaptureNames } from '../../../fixtures/evidence/load-capture.ts';
import {
  sortObjects,
  lastVersionsOf,
  watchOf,
  withoutSight,
  type ApiObject,
} from '../bundle/objects-of-captures.ts';
import { ID, isSaid, ofKind, readTexts, UID } from '../bundle/read-texts.ts';

type Objects = readonly ApiObject[];
const list = (items: Objects): object => ({ apiVersion: 'v1', items, kind: 'List', metadata: {} });

/** How people have objects of the API: the name of the file, and its text. */
const FORMS: Readonly<Record<string, (objects: Objects) => Record<string, string>>> = {
  'a list in JSON': (objects) => ({ 'a.json': JSON.stringify(list(objects), null, 4) }),
  'a list in JSON with little indentation': (objects) => ({
    'a.json': JSON.stringify(list(objects), null, 1),
  }),
  'a list in one line': (objects) => ({ 'a.json': JSON.stringify(list(objects)) }),
  'a PodList whose items have no kind': (objects) => ({
    'a.json': JSON.stringify(
      {
        kind: `${String(objects[0]?.['kind'])}List`,
        apiVersion: 'v1',
        items: objects.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest),
      },
      null,
      4,
    ),
  }),
  'a list in YAML': (objects) => ({ 'a.yaml': stringify(list(objects), { indentSeq: false }) }),
  'a list in YAML with indented items': (objects) => ({ 'a.yaml': `---\n${stringify(list(objects))}` }),
  'documents in YAML': (objects) => ({ 'a.yaml': objects.map((object) => stringify(object)).join('---\n') }),
  'files behind each other, in YAML': (objects) => ({
    'a.yaml': objects.map((object) => stringify(object, { sortMapEntries: true })).join(''),
  }),
  'a file for each, in YAML': (objects) =>
    Object.fromEntries(objects.map((object, index) => [`${index}.yaml`, stringify(object)])),
  'a file for each, in JSON': (objects) =>
    Object.fromEntries(objects.map((object, index) => [`${index}.json`, JSON.stringify(object, null, 2)])),
  'JSON objects behind each other': (objects) => ({
    'a.json': objects.map((object) => `${JSON.stringify(object, null, 4)}\n`).join(''),
  }),
  'a watch of kubectl': (objects) => ({
    'a.json': objects.map((object) => `${JSON.stringify({ type: 'ADDED', object }, null, 4)}\n`).join(''),
  }),
  'lines that end as on Windows': (objects) => ({
    'a.yaml': stringify(list(objects)).replaceAll('\n', '\r\n'),
  }),
};

describe('objects of the API', () => {
  const captures = sampledCaptureNames()
    .slice(0, 6)
    .map((name) => ({ name, files: loadCapture(name).files }));

  it.each(Object.entries(FORMS))('say the same as %s', async (_form, print) => {
    for (const { name, files } of captures) {
      for (const [file, kind, parse] of [
        ['pods.jsonl', 'Pod', parsePods],
        ['events.jsonl', 'Event', parseEvents],
      ] as const) {
        const objects = lastVersionsOf(files.get(file) ?? '', kind);
        const expected = parse(watchOf(objects), file).filter(isSaid) as (PodSeen | KubeEvent)[];
        const { observations, unknown } = await readTexts(print(objects));
        const found = observations.filter(isSaid) as (PodSeen | KubeEvent)[];
        expect(unknown).toEqual([]);
        expect(sortObjects(found.map(withoutSight)), `${name} ${file}`).toEqual(
          sortObjects(expected.map(withoutSight)),
        );
      }
    }
  });

  it('point to the line where each begins', async () => {
    const objects = lastVersionsOf(captures[0]?.files.get('pods.jsonl') ?? '', 'Pod');
    for (const text of [stringify(list(objects)), JSON.stringify(list(objects), null, 4)]) {
      const found = ofKind(await readTexts({ a: text }), 'pod-seen');
      const lines = text.split('\n');
      for (const { ref, name } of found) {
        const begin = lines.slice((ref.line ?? 0) - 1, (ref.line ?? 0) + 12).join('\n');
        expect(begin).toContain(name);
      }
    }
  });

  it('are seen when the newest time in them had come', async () => {
    const pod = {
      kind: 'Pod',
      metadata: { creationTimestamp: '2026-11-20T21:53:50Z' },
      status: { startTime: '2026-11-20T21:54:00Z' },
    };
    const [seen] = ofKind(await readTexts({ a: stringify({ apiVersion: 'v1', ...pod }) }), 'pod-seen');
    expect(seen?.ref.at).toBe('2026-11-20T21:54:00.000Z');
  });

  it('are no evidence where they only say what somebody wants', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a' }] },
    };
    expect((await readTexts({ 'pod.yaml': stringify(pod) })).unknown).toEqual(['pod.yaml']);
  });
});

const STATUS = {
  id: ID,
  metadata: { attempt: 1, name: 'eater' },
  state: 'CONTAINER_EXITED',
  createdAt: '2026-11-20T21:53:53.1Z',
  startedAt: '2026-11-20T21:53:54.2Z',
  finishedAt: '2026-11-20T21:53:59.06Z',
  exitCode: 137,
  reason: 'OOMKilled',
  labels: {
    'io.kubernetes.container.name': 'eater',
    'io.kubernetes.pod.name': 'eater',
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': UID,
  },
};

const asked = async (text: string): Promise<readonly Observation[]> =>
  (await readTexts({ 'node-1/answer.json': text })).observations.filter(isSaid);

describe('what a runtime says when it is asked', () => {
  const [expected] = parseCri(JSON.stringify(STATUS), 'node-1/cri.jsonl');
  const record = {
    reason: 'OOMKilled',
    exitCode: 137,
    state: 'CONTAINER_EXITED',
    containerId: ID,
    at: expected?.at,
  };

  it.each([
    [
      'crictl inspect',
      JSON.stringify({ status: STATUS, info: { sandboxID: 'f'.repeat(64), pid: 0 } }, null, 2),
    ],
    [
      'crictl ps -a -o json',
      JSON.stringify({ containers: [{ ...STATUS, podSandboxId: 'f'.repeat(64) }] }, null, 2),
    ],
    ['one status a line', `${JSON.stringify(STATUS)}\n`],
    [
      'docker inspect',
      JSON.stringify(
        [
          {
            Id: ID,
            State: {
              Status: 'exited',
              Running: false,
              OOMKilled: true,
              Pid: 0,
              ExitCode: 137,
              StartedAt: STATUS.startedAt,
              FinishedAt: STATUS.finishedAt,
            },
            Config: { Labels: { ...STATUS.labels, 'io.kubernetes.sandbox.id': 'f'.repeat(64) } },
          },
        ],
        null,
        4,
      ),
    ],
  ])('is read of %s', async (_tool, text) => {
    const found = await asked(text);
    expect(found.find(({ kind }) => kind === 'runtime-record')).toMatchObject(record);
    expect(found.find(({ kind }) => kind === 'runtime-created')).toMatchObject({
      podUid: UID,
      container: 'eater',
      containerId: ID,
      node: 'node-1',
    });
  });

  it('is read of crictl inspectp', async () => {
    const metadata = { attempt: 0, name: 'eater', namespace: 'default', uid: UID };
    const status = { id: ID, metadata, state: 'SANDBOX_NOTREADY', createdAt: STATUS.createdAt };
    expect(await asked(JSON.stringify({ status }, null, 2))).toMatchObject([
      { kind: 'sandbox-created', podUid: UID, sandboxId: ID, pod: 'eater', namespace: 'default' },
    ]);
  });
});

const EVENTS = `LAST SEEN   TYPE      REASON      OBJECT            MESSAGE
5m          Normal    Killing     pod/eater         Stopping container eater
3m12s       Warning   OOMKilling  node/node-1       Memory cgroup out of memory: Killed process 1735
`;
const DESCRIBE = `Name:             eater
Namespace:        default
Node:             node-1/10.0.2.15
Start Time:       Fri, 20 Nov 2026 21:53:50 +0000
Status:           Running
Containers:
  eater:
    Container ID:   containerd://${ID}
    State:          Running
      Started:      Fri, 20 Nov 2026 21:54:00 +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Fri, 20 Nov 2026 21:53:54 +0000
      Finished:     Fri, 20 Nov 2026 22:53:59 +0100
    Restart Count:  1
Events:
  Type     Reason   Age                From     Message
  ----     ------   ----               ----     -------
  Warning  BackOff  3s (x2 over 10s)   kubelet  Back-off restarting failed container
`;

describe('what kubectl prints for people', () => {
  it('gives claims without a time: events', async () => {
    const found = ofKind(await readTexts({ 'events.txt': EVENTS }), 'kube-event');
    expect(found).toMatchObject([
      {
        reason: 'Killing',
        objectKind: 'Pod',
        objectName: 'eater',
        message: 'Stopping container eater',
        at: undefined,
      },
      { reason: 'OOMKilling', objectKind: 'Node', objectName: 'node-1', type: 'Warning' },
    ]);
    expect(found.map(({ ref }) => ref.line)).toEqual([2, 3]);
  });

  it('gives claims: the description of a pod', async () => {
    const found = await readTexts({ 'describe.txt': DESCRIBE });
    expect(ofKind(found, 'pod-seen')).toMatchObject([
      {
        name: 'eater',
        namespace: 'default',
        node: 'node-1',
        phase: 'Running',
        containers: [
          {
            name: 'eater',
            id: ID,
            state: 'running',
            restartCount: 1,
            last: { reason: 'OOMKilled', exitCode: 137, finishedAt: Date.parse('2026-11-20T21:53:59Z') },
          },
        ],
      },
    ]);
    expect(ofKind(found, 'kube-event')).toMatchObject([
      { reason: 'BackOff', component: 'kubelet', objectName: 'eater' },
    ]);
  });
});

describe('a pod that is to go, as it is described', () => {
  const terminating = (lasts: string, age: string): string =>
    DESCRIBE.replace('Running', `Terminating (lasts ${lasts})`).replace(
      /3s \(x2.*/,
      `${age}   kubelet  Started container eater`,
    );

  it.each([
    ['90s', '100s', '2026-11-20T21:54:10.000Z'],
    ['90s', '47m', undefined],
    ['7d10h', '10d', undefined],
  ])('must be gone for %s, which an event of %s ago dates: %s', async (lasts, age, at) => {
    const text = terminating(lasts, age).replace('BackOff', 'Started');
    const [pod] = ofKind(await readTexts({ 'describe.txt': text }), 'pod-seen');
    expect(pod).toMatchObject({ name: 'eater' });
    expect(pod?.deletionAt).toBe(at && Date.parse(at));
  });
});

describe('a time that the API does not have', () => {
  it.each([
    'Mon, 01 Jan 0001 00:00:00 +0000',
    'Mon, 01 Jan 0001 05:53:28 +0553',
    'Sun, 31 Dec 0000 19:03:58 -0456',
  ])('is none in a description: %s', async (printed) => {
    const text = DESCRIBE.replace('Fri, 20 Nov 2026 22:53:59 +0100', printed);
    const [pod] = ofKind(await readTexts({ 'describe.txt': text }), 'pod-seen');
    expect(pod?.containers[0]?.last).toMatchObject({ exitCode: 137, finishedAt: undefined });
  });
});

describe('counters in a tree', () => {
  it.each([
    ['sys/fs/cgroup/kubepods.slice/memory.events', '/kubepods.slice', 'memory.events'],
    ['host/sys/fs/cgroup/memory/kubepods/pod1/memory.oom_control', '/kubepods/pod1', 'memory.oom_control'],
    ['sos/sys/fs/cgroup/memory.events', '/', 'memory.events'],
  ])('are those of their cgroup: %s', async (path, cgroup, file) => {
    const found = ofKind(await readTexts({ [path]: 'low 0\noom 3\noom_kill 2\n' }), 'cgroup-values');
    expect(found).toMatchObject([{ path: cgroup, file, values: { oom_kill: '2' } }]);
  });

  it('are read of vmstat, wherever it is', async () => {
    const found = ofKind(
      await readTexts({ 'a.txt': 'nr_free_pages 1\npgfault 2\noom_kill 7\n' }),
      'node-beat',
    );
    expect(found).toMatchObject([{ oomKills: 7, at: undefined, ref: { line: 3 } }]);
  });
});

describe('parts of YAML that tell nothing', () => {
  const pod = (field: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  namespace: default\n  uid: 11fb4b18-3dc9-4db2-a842-e464f797527a\nspec:\n  containers:\n${field}    name: web\n  nodeName: node-1\nstatus:\n  phase: Failed\n  reason: Evicted\n  message: 'The node was low on resource: memory. '\n`;

  it.each([
    [
      'env',
      '  - image: x\n    env:\n    - name: A\n      value: |\n        kind: Secret\n    - name: B\n      value: b\n',
    ],
    ['env that begins a container', '  - env:\n    - name: A\n      value: a\n'],
    ['mounts', '  - image: x\n    volumeMounts:\n      - mountPath: /a\n        name: a\n'],
  ])('do not change what is said: %s', async (_what, field) => {
    const { observations } = await readTexts({ 'pod.yaml': pod(field) });
    const { observations: bare } = await readTexts({ 'pod.yaml': pod('  - image: x\n') });
    const seen = (all: typeof bare): unknown =>
      all.flatMap((one) => (one.kind === 'pod-seen' ? [[one.name, one.node, one.reason, one.message]] : []));
    expect(seen(observations)).toEqual(seen(bare));
    expect(seen(bare)).not.toEqual([]);
  });

  it('leave a list readable in which most objects are of other kinds', async () => {
    const item = (kind: string, name: string): string =>
      `- apiVersion: v1\n  kind: ${kind}\n  metadata:\n    name: ${name}\n    namespace: default\n  status:\n    phase: Failed\n    reason: Evicted\n`;
    const text = `apiVersion: v1\nitems:\n${item('ConfigMap', 'a')}${item('Pod', 'web-0')}${item('Secret', 'b')}kind: List\n`;
    const { observations } = await readTexts({ 'all.yaml': text });
    expect(observations.filter(({ kind }) => kind === 'pod-seen')).toHaveLength(1);
  });
});
