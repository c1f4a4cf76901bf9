import type { Alteration, Intervention, Removal } from './intervention.ts';
import { holdBack, NODE_COMMAND } from './removals.ts';

/** The thresholds of a knob that evicts early. */
const EARLY_EVICTION: Alteration = {
  change: 'axis',
  axis: 'knobs',
  from: ['tight', 'soft-eviction', 'soft-eviction-defers', 'soft-eviction-long'],
  to: 'none',
};

/** A node that has more left before the kubelet steps in may still run out of it. */
const MORE_ROOM: Removal = {
  takes: 'the early thresholds of the kubelet',
  changes: [EARLY_EVICTION],
  isPartial: true,
};

const STORAGE_LIMIT: Removal = {
  takes: 'the limits of ephemeral storage of the pod',
  changes: [{ change: 'lift-limit', resource: 'ephemeral-storage' }],
};

const VOLUME_LIMIT: Removal = {
  takes: 'the size limits of its volumes',
  changes: [{ change: 'remove', of: 'volumes', field: ['emptyDir', 'sizeLimit'] }],
};

const LIVENESS: Alteration = { change: 'remove', of: 'container', field: ['livenessProbe'] };
const STARTUP: Alteration = { change: 'remove', of: 'container', field: ['startupProbe'] };
const POST_START: Alteration = { change: 'remove', of: 'container', field: ['lifecycle', 'postStart'] };
const RULES: Alteration = { change: 'remove', of: 'containers', field: ['restartPolicyRules'] };

/** The part of the table in which the kubelet stops a container: of its own accord, or for the API. */
export const KUBELET_INTERVENTIONS = {
  'kubelet-eviction': {
    takes: 'what the kubelet evicts for',
    changes: [...VOLUME_LIMIT.changes, ...STORAGE_LIMIT.changes, EARLY_EVICTION],
    isPartial: true,
    hows: {
      memory: MORE_ROOM,
      'ephemeral-storage': MORE_ROOM,
      inodes: MORE_ROOM,
      pids: MORE_ROOM,
      'container-storage-limit': STORAGE_LIMIT,
      'pod-storage-limit': STORAGE_LIMIT,
      'empty-dir-limit': VOLUME_LIMIT,
    },
  },
  'kubelet-cgroup-missing': {
    takes: 'the mismatch of the cgroup drivers',
    changes: [
      {
        change: 'axis',
        axis: 'drivers',
        from: ['systemd+cgroupfs', 'cgroupfs+systemd'],
        to: 'systemd+systemd',
      },
    ],
  },
  'liveness-probe': {
    takes: 'the probes of the container',
    changes: [LIVENESS, STARTUP],
    hows: {
      'liveness-probe': { takes: 'the liveness probe of the container', changes: [LIVENESS] },
      'startup-probe': { takes: 'the startup probe of the container', changes: [STARTUP] },
    },
  },
  'api-deletion': {
    takes: 'the request to delete the pod',
    changes: [
      { change: 'hold-back', stimulus: 'delete-pod' },
      { change: 'hold-back', stimulus: 'evict-pod' },
      { change: 'hold-back', stimulus: 'drain-node' },
      { change: 'hold-back', stimulus: 'taint-node' },
    ],
    hows: {
      delete: holdBack('the request to delete the pod', 'delete-pod'),
      'eviction-api': {
        takes: 'the request to evict the pod',
        changes: [
          { change: 'hold-back', stimulus: 'evict-pod' },
          { change: 'hold-back', stimulus: 'drain-node' },
        ],
      },
      taint: holdBack('the taint of the node', 'taint-node'),
      'device-taint': { none: 'no stimulus taints a device' },
      'pod-gc': { none: 'no stimulus makes the collector of pods act' },
    },
  },
  // The most important pods are not preempted, neither by the scheduler (which compares priorities) nor by the kubelet
  // (IsCriticalPod in pkg/kubelet/types/pod_update.go). The priority of a pod stops nobody else who stops containers.
  preemption: {
    takes: 'that others are more important than the pod',
    changes: [{ change: 'set', of: 'pod', field: ['priorityClassName'], value: 'system-node-critical' }],
    // The kubelet evicts no critical pod, and its oom_score_adj is the lowest.
    alsoStops: ['kubelet-eviction', 'global-oom', 'earlyoom', 'systemd-oomd'],
  },
  deadline: {
    takes: 'the deadline of the pod',
    changes: [{ change: 'remove', of: 'pod', field: ['activeDeadlineSeconds'] }],
  },
  'node-shutdown': holdBack('the shutdown of the node', 'node-reboot', { how: 'shutdown' }),
  'spec-change': {
    takes: 'the change of the pod',
    changes: [
      { change: 'hold-back', stimulus: 'patch-pod' },
      { change: 'hold-back', stimulus: 'remove-static-pod' },
    ],
    hows: {
      'definition-changed': holdBack('the change of the pod', 'patch-pod'),
      resized: holdBack('the resize of the pod', 'patch-pod'),
      'static-pod-removed': holdBack('the removal of its file', 'remove-static-pod'),
    },
  },
  'pod-lifecycle': {
    takes: 'the rules of the pod',
    changes: [POST_START, RULES],
    hows: {
      'post-start-hook': { takes: 'the postStart hook of the container', changes: [POST_START] },
      'restart-all-containers': { takes: 'the rules that restart the pod', changes: [RULES] },
      'sidecar-done': { none: 'a sidecar ends with its pod: without that it would be another pod' },
      'not-admitted': { takes: 'the restart of the kubelet', changes: [NODE_COMMAND] },
      'lost-address': { takes: 'what took the address of the sandbox', changes: [NODE_COMMAND] },
    },
  },
} as const satisfies Readonly<Record<string, Intervention>>;
