import { baseOf } from '../../../lab/evidence/lines.ts';
import { judgeCell, type Judgement } from '../../../lab/judge/verdict/judge-cell.ts';
import { DEFAULT_VARIANT } from '../../../lab/model/axes/axes.ts';
import type { Base, CellRecord, Observation, PodSeen } from '../../../lab/model/evidence/observation.ts';

/*
 * Hand-written observations, after the log texts and cgroup paths of Kubernetes 1.34 with containerd 1.6 and different
 * cgroup drivers. To be replaced by a capture of scenarios/minute-survivor.
 */
export const UID = '11fb4b18-0000-4000-8000-000000000001';
export const QOS = '/kubepods.slice/kubepods-burstable.slice';
export const POD = `${QOS}/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice`;
const ID = 'b945dc1684880b1c8cb1ed0ae5d4aa43b05b77b572580ae5ba54e370abdc3623';
export const OUTSIDE = `/system.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice:cri-containerd:${ID}`;
export const INSIDE = `${POD}/cri-containerd-${ID}.scope`;
const START = Date.parse('2026-11-20T10:00:00.000Z');
/** Seconds after the start, as milliseconds since the epoch. */
export const at = (seconds: number): number => START + seconds * 1000;
export const KILLED = 130;

const record: CellRecord = {
  formatVersion: 1,
  address: 'systemd+cgroupfs/minute-survivor',
  variant: { ...DEFAULT_VARIANT, drivers: 'systemd+cgroupfs' },
  scenario: 'minute-survivor',
  expected: { killer: 'kubelet-cgroup-missing', withinSeconds: 300 },
  victim: { namespace: 'default', selector: 'app=bystander', container: 'bystander' },
  nodes: ['node-1'],
  startedAt: new Date(at(0)).toISOString(),
  deployedAt: new Date(at(1)).toISOString(),
  endedAt: new Date(at(160)).toISOString(),
  stimuli: [],
  lost: [],
};

let line = 0;
function base(source: string, file: string, seconds: number, text: string): Base {
  return baseOf(source, at(seconds), file, ++line, text);
}

/** A version of the pod. */
export function pod(seconds: number, changes: Partial<PodSeen>, dead: boolean): Observation {
  const view: PodSeen['containers'][number] = {
    name: 'bystander',
    role: 'main',
    id: ID,
    state: dead ? 'terminated' : 'running',
    reason: dead ? 'Completed' : undefined,
    message: undefined,
    exitCode: dead ? 0 : undefined,
    signal: undefined,
    startedAt: at(2),
    finishedAt: dead ? at(KILLED + 1) : undefined,
    restartCount: 0,
    last: undefined,
  };
  return {
    kind: 'pod-seen',
    ...base('pod', 'pods.jsonl', seconds, 'bystander'),
    type: 'MODIFIED',
    namespace: 'default',
    name: 'bystander',
    uid: UID,
    createdAt: at(1),
    labels: { app: 'bystander' },
    node: 'node-1',
    phase: 'Running',
    reason: undefined,
    message: undefined,
    deletionAt: undefined,
    disruption: undefined,
    containers: [view],
    ...changes,
  };
}

/** A reading of a file of lists. */
export function values(seconds: number, path: string, file: string, words: string): Observation {
  const text = `${file}: ${words} in ${path}`;
  return {
    kind: 'cgroup-values',
    ...base('cgroup', 'node-1/witness.jsonl', seconds, text),
    path,
    file,
    values: { '': words },
  };
}

/** An event about the victim. */
export function event(seconds: number, reason: string, message: string): Observation {
  return {
    kind: 'kube-event',
    ...base('event', 'events.jsonl', seconds, `${reason}: ${message}`),
    reason,
    type: 'Normal',
    component: 'kubelet',
    objectKind: 'Pod',
    objectNamespace: 'default',
    objectName: 'bystander',
    objectUid: UID,
    fieldPath: 'spec.containers{bystander}',
    message,
    count: 1,
  };
}

/** A line of the kubelet. */
export function kubelet(
  seconds: number,
  about: 'killing-container' | 'sandbox-changed' | 'pod-told',
  message: string,
  containerId?: string,
): Observation {
  return {
    kind: 'kubelet-said',
    verbosity: 2,
    ...base('kubelet', 'node-1/kubelet.jsonl', seconds, message),
    about,
    containerId,
    podUid: containerId === undefined ? undefined : UID,
    message,
  };
}

/** The whole story by name, so that a test can leave one part out or put another in its place. */
export function story(cgroup = OUTSIDE): Record<string, Observation> {
  return {
    born: pod(2, {}, false),
    process: {
      kind: 'process-seen',
      ...base('cgroup', 'node-1/witness.jsonl', 2.1, `pid 900 (sleeper), pid 1 inside, in ${cgroup}`),
      pid: 900,
      ppid: 880,
      nsPid: 1,
      comm: 'sleeper',
      cgroup,
    },
    started: {
      kind: 'runtime-start',
      ...base('containerd', 'node-1/containerd.jsonl', 2.1, `StartContainer for "${ID}"`),
      containerId: ID,
      pid: 900,
      exitStatus: undefined,
    },
    had: values(1.5, QOS, 'cgroup.subtree_control', 'cpuset cpu io memory hugetlb pids'),
    podSlice: values(1.6, POD, 'memory.max', 'max'),
    gone: values(61, QOS, 'cgroup.subtree_control', 'cpu io memory hugetlb pids'),
    line: kubelet(
      KILLED,
      'killing-container',
      `"Killing container with a grace period" pod="default/bystander" podUID="${UID}" containerName="bystander" containerID="containerd://${ID}" gracePeriod=1`,
      ID,
    ),
    killing: event(KILLED, 'Killing', 'Stopping container bystander'),
    term: {
      kind: 'signal-sent',
      ...base('trace', 'node-1/witness.jsonl', KILLED + 0.1, 'SIGTERM to pid 900'),
      signal: 15,
      senderPid: 700,
      senderComm: 'runc',
      pid: 900,
      comm: 'sleeper',
      code: 0,
      senderCgroup: '/system.slice/containerd.service',
    },
    exit: {
      kind: 'process-exited',
      ...base('trace', 'node-1/witness.jsonl', KILLED + 0.2, 'pid 900 (sleeper) ended'),
      pid: 900,
      comm: 'sleeper',
    },
    died: pod(KILLED + 2, {}, true),
    newSandbox: kubelet(
      KILLED + 3,
      'sandbox-changed',
      '"No ready sandbox for pod can be found. Need to start a new one" pod="default/bystander"',
    ),
    sandboxChanged: event(
      KILLED + 3,
      'SandboxChanged',
      'Pod sandbox changed, it will be killed and re-created.',
    ),
  };
}

/** Judges a story. */
export function judge(
  parts: Record<string, Observation>,
  expected: CellRecord['expected'] = record.expected,
): Judgement {
  const observations = Object.values(parts).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return judgeCell({ ...record, expected }, observations);
}

/** The story with parts left out. */
export function without(...names: string[]): Record<string, Observation> {
  return Object.fromEntries(Object.entries(story()).filter(([name]) => !names.includes(name)));
}
