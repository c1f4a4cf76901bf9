/**
 * Reasons that the status of an ended container may have. Nobody else writes any: containerd
 * (internal/cri/server/container_status.go, container_start.go, restart.go), CRI-O
 * (server/container_status.go) and the kubelet (pkg/kubelet/container/runtime.go, kubelet_pods.go).
 */
export const CONTAINER_REASONS = {
  Completed: 'it ended with exit code 0',
  Error: 'it ended with another exit code',
  OOMKilled: 'the runtime was told that the kernel killed in its cgroup for memory',
  StartError: 'the runtime could not start it',
  ContainerCannotRun: 'the same, in the words of Docker',
  'seccomp killed': 'CRI-O saw that seccomp killed it',
  Unknown: 'containerd lost it while it was away',
  ContainerStatusUnknown: 'the kubelet found no trace of it',
} as const;
