import type { KillerRow } from './killer-row.ts';

/** The part of the table of killers in which the kubelet stops a container: of its own accord, or for the API. */
export const KUBELET_ROWS = {
  'kubelet-eviction': {
    family: 'kubelet',
    hows: {
      memory: { says: 'the node ran out of it' },
      'ephemeral-storage': { says: 'the node ran out of it' },
      inodes: { says: 'the node ran out of it' },
      pids: {
        says: 'the node ran out of it',
        advice: 'find the pods that have too many processes, and set podPidsLimit',
      },
      'container-storage-limit': {
        says: "the pod's own limit",
        advice: 'raise limits.ephemeral-storage, or write less into the container',
      },
      'pod-storage-limit': {
        says: "the pod's own limit",
        advice: 'raise limits.ephemeral-storage of its containers, or write less',
      },
      'empty-dir-limit': {
        says: "the pod's own limit",
        advice: "raise the volume's sizeLimit, or clean it up",
      },
    },
    proof:
      "the runtime stopped it; the pod's reason, or an event of the kubelet from before the first signal, is `Evicted`; the message says what ran out",
    advice: 'set requests near the real use, and give the node more of what ran out; the message says what',
    requested: true,
    verb: 'killed',
  },
  'kubelet-cgroup-missing': {
    family: 'kubelet',
    hows: {},
    proof:
      "the kubelet stopped it without a reason and then made a new sandbox; a controller had gone from the pod's cgroup; the container was outside of it. Without one of these four it is `unknown`",
    advice: "make containerd's SystemdCgroup and the kubelet's cgroupDriver the same, then reboot the node",
    verb: 'killed',
  },
  'liveness-probe': {
    family: 'kubelet',
    hows: {
      'liveness-probe': {},
      'startup-probe': {
        advice: 'give the startupProbe a higher failureThreshold: the program starts slower than it allows',
      },
    },
    proof:
      "the runtime stopped it; before that the kubelet's event `Killing`, or its log, names a failed liveness or startup probe",
    advice:
      'find out why the probe failed; give it a longer timeout or threshold, or a startupProbe for slow starts',
    requested: true,
    verb: 'killed',
  },
  'api-deletion': {
    family: 'api',
    hows: {
      delete: {},
      'eviction-api': {
        says: 'mostly a drain',
        advice: 'somebody drained the node or evicted the pod; a PodDisruptionBudget can make them wait',
      },
      taint: {
        says: 'NoExecute; before 1.26 the only way that leaves a trace',
        advice: 'add a toleration for the taint, or find out why the node has it',
      },
      'device-taint': {
        says: 'of a device that its claim has',
        advice: 'add a toleration to the claim, or find out why the device is tainted',
      },
      'pod-gc': {},
    },
    proof:
      "the runtime stopped it; before the kubelet's first act the pod had been asked to go (`deletionTimestamp`)",
    advice:
      'ask who deleted the pod: its controller, a drain, a person; the audit log of the API names the user',
    requested: true,
    verb: 'killed',
  },
  preemption: {
    family: 'api',
    hows: { scheduler: {}, 'critical-pod': { says: 'the kubelet made room' } },
    proof:
      'the runtime stopped it; with the deletion the scheduler wrote the event `Preempted` or the condition `PreemptionByScheduler` (with the condition only it is `likely`), or the kubelet the line, event or reason `Preempting`',
    advice: 'give the pod a higher priorityClassName, or the cluster more room',
    requested: true,
    verb: 'killed',
  },
  deadline: {
    family: 'kubelet',
    hows: {},
    proof:
      "the runtime stopped it; the pod's reason, or an event of the kubelet from before the first signal, is `DeadlineExceeded`",
    advice: 'raise activeDeadlineSeconds, or make the work shorter',
    requested: true,
    verb: 'killed',
  },
  'node-shutdown': {
    family: 'kubelet',
    hows: {},
    proof:
      "the runtime stopped it; the kubelet's log names the pod as one that it stops for the shutdown of its node, or the pod's reason or condition says so. Or systemd signalled it while the node went down, and the node was not seen again",
    advice: 'the node was shut down properly; drain it first, and give shutdownGracePeriod enough time',
    requested: true,
    verb: 'killed',
  },
  'spec-change': {
    family: 'kubelet',
    hows: {
      'definition-changed': { says: "the container's image, most often" },
      resized: {
        says: 'in place, where `resizePolicy` says RestartContainer',
        advice:
          'somebody resized the pod in place; with resizePolicy NotRequired its containers keep running',
      },
      'static-pod-removed': {
        says: 'its file is gone',
        advice: 'somebody removed or changed the file of the static pod on the node; ask who',
      },
    },
    proof:
      'the runtime stopped it; before that the kubelet said that the definition or the resources of the container changed, or that the file of a static pod is gone',
    advice:
      'somebody changed the pod: its image, its resources, or the file of a static pod; ask who applied it',
    requested: true,
    verb: 'killed',
  },
  'pod-lifecycle': {
    family: 'kubelet',
    hows: {
      'post-start-hook': {
        says: 'it failed',
        advice:
          'find out why the postStart hook failed; the container is killed and started again until it succeeds',
      },
      'restart-all-containers': {
        says: 'a container of the pod ended, and its `restartPolicyRules` say so; since 1.35',
        advice: 'find out why the other container ended: its restartPolicyRules restart the whole pod',
      },
      'sidecar-done': {
        says: 'the main containers had ended',
        advice: 'nothing, if the pod is done: a sidecar ends after the main containers',
      },
      'not-admitted': {
        says: 'by the kubelet, when it had started again',
        advice:
          "read the pod's message: the node lacks what the pod had, such as a device; the kubelet had started again",
      },
      'lost-address': {
        says: "of the pod's sandbox",
        advice: 'find out what took the address of the sandbox: the network plugin, or a firewall',
      },
    },
    proof:
      "the runtime stopped it; before that the kubelet's events, its log or the pod's status say which rule it followed, and nobody else had asked before it ended: else it is `unknown`. That a sidecar was done is never more than `likely`: the kubelet does not say so, its order does",
    advice: 'read the events of the pod: the kubelet followed a rule of the pod itself',
    requested: true,
    verb: 'killed',
  },
} as const satisfies Readonly<Record<string, KillerRow>>;
