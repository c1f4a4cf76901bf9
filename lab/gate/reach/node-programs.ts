import type { GatedReach } from './program-area.ts';

export const CONTAINERD: GatedReach = {
  beside: { cgroup: ['v2', 'v1'], drivers: ['systemd+systemd', 'cgroupfs+cgroupfs'] },
  because:
    'the shim watches memory.events on v2 and an eventfd on v1, and systemd removes the cgroup it would read again',
  source: 'https://github.com/containerd/containerd/tree/main/cmd/containerd-shim-runc-v2',
  areas: [
    {
      id: 'oom-events',
      about: 'the end of a container is heard before its OOM, or the OOM never: OOMKilled becomes Error',
      layers: ['runtime', 'kubelet', 'api'],
      tags: ['oom', 'memory'],
      paths: [
        'pkg/oom/*',
        'internal/cri/server/events*',
        'pkg/cri/server/events*',
        'vendor/github.com/containerd/cgroups/*',
      ],
    },
    {
      id: 'cri',
      about: 'the status of a container is kept or told otherwise: another reason, exit code or time',
      layers: ['runtime', 'kubelet', 'api'],
      tags: ['oom', 'exit', 'signal', 'deletion', 'sandbox', 'exec'],
      paths: ['internal/cri/*', 'pkg/cri/*', 'plugins/cri/*', 'api/*'],
    },
    {
      id: 'shim',
      about: 'a process is reaped, killed or reported otherwise, or lost when containerd is restarted',
      layers: ['runtime', 'kubelet', 'api'],
      tags: ['exit', 'signal', 'runtime', 'restart', 'sandbox', 'oom'],
      paths: [
        'cmd/containerd-shim*/*',
        'core/runtime/*',
        'runtime/*',
        'pkg/shim/*',
        'pkg/process/*',
        'vendor/github.com/containerd/go-runc/*',
      ],
    },
  ],
  harmless: [
    'integration/*',
    'test/*',
    'contrib/*',
    'core/images/*',
    'core/remotes/*',
    'core/snapshots/*',
    'plugins/snapshots/*',
    'releases/*',
    'man/*',
  ],
};

export const KUBELET: GatedReach = {
  beside: { cgroup: ['v2', 'v1'] },
  because: 'limits of pods and QoS classes, and group kills, are set otherwise on each cgroup version',
  source: 'https://github.com/kubernetes/kubernetes/tree/master/pkg/kubelet',
  areas: [
    {
      id: 'eviction',
      about: 'the kubelet steps in earlier, later or for another pod than before the kernel does',
      layers: ['kubelet', 'api', 'kernel'],
      tags: ['eviction', 'node', 'preemption'],
      paths: ['pkg/kubelet/eviction/*', 'pkg/kubelet/preemption/*', 'pkg/kubelet/stats/*'],
    },
    {
      id: 'cgroups',
      about: 'another limit is set, or at another level: another cgroup is hit, or all of it is killed',
      layers: ['kernel', 'cgroup', 'api'],
      tags: ['oom', 'memory', 'qos', 'pids', 'cpu', 'cgroup', 'drivers'],
      paths: [
        'pkg/kubelet/cm/*',
        'pkg/kubelet/oom/*',
        'pkg/kubelet/qos/*',
        'vendor/github.com/opencontainers/cgroups/*',
      ],
    },
    {
      id: 'lifecycle',
      about: 'a container is stopped for another reason, in another order, or not',
      layers: ['kubelet', 'runtime', 'api'],
      tags: ['probe', 'hook', 'deletion', 'deadline', 'sidecar', 'restart', 'spec', 'static', 'signal'],
      paths: [
        'pkg/kubelet/kuberuntime/*',
        'pkg/kubelet/lifecycle/*',
        'pkg/kubelet/prober/*',
        'pkg/kubelet/pod_workers.go',
        'pkg/kubelet/kubelet.go',
        'pkg/kubelet/kubelet_pods.go',
        'pkg/kubelet/nodeshutdown/*',
      ],
    },
    {
      id: 'status',
      about: 'the API says another reason, exit code or phase of the same end',
      layers: ['kubelet', 'api'],
      tags: ['exit', 'oom', 'events', 'eviction'],
      paths: [
        'pkg/kubelet/status/*',
        'pkg/kubelet/pleg/*',
        'pkg/kubelet/container/*',
        'pkg/kubelet/events/*',
      ],
    },
  ],
  harmless: [
    'test/*',
    'api/*',
    'cmd/kube*adm/*',
    'pkg/controlplane/*',
    'pkg/scheduler/*',
    'pkg/proxy/*',
    'CHANGELOG/*',
  ],
};

export const SYSTEMD: GatedReach = {
  beside: { cgroup: ['v2', 'v1'] },
  because: 'with the systemd driver every cgroup of a pod is a unit, which systemd makes, limits and removes',
  source: 'https://github.com/systemd/systemd/tree/main/src/core',
  areas: [
    {
      id: 'units',
      about: 'the slice or scope of a pod has another limit, or is removed sooner or never',
      layers: ['kernel', 'cgroup', 'runtime', 'api'],
      tags: ['oom', 'memory', 'cgroup', 'drivers', 'cpu', 'qos'],
      paths: ['src/core/*', 'src/basic/cgroup*', 'src/shared/cgroup*'],
    },
    {
      id: 'oomd',
      about: 'systemd-oomd chooses another unit, or chooses sooner',
      layers: ['kernel', 'cgroup', 'api'],
      tags: ['node', 'memory'],
      paths: ['src/oom/*'],
    },
    {
      id: 'shutdown',
      about: 'a shutdown does not wait for the kubelet: pods die with the machine',
      layers: ['kubelet', 'api'],
      tags: ['node'],
      paths: ['src/login/*', 'src/shutdown/*'],
    },
  ],
  harmless: [
    'test/*',
    'man/*',
    'po/*',
    'hwdb.d/*',
    'src/network/*',
    'src/resolve/*',
    'src/test/*',
    'src/boot/*',
  ],
};

export const KERNEL: GatedReach = {
  beside: { cgroup: ['v2', 'v1'] },
  because: 'the memory controller of v1 is a file of its own since 6.11',
  source: 'https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/mm',
  areas: [
    {
      id: 'oom',
      about:
        'another process is chosen, another cgroup is hit, or memory is reclaimed for so long that nobody is killed',
      layers: ['kernel', 'cgroup', 'runtime', 'api'],
      tags: ['oom', 'memory', 'overcommit', 'tmpfs'],
      paths: ['mm/*', 'include/linux/mm*', 'include/linux/oom.h', 'include/linux/memcontrol.h'],
    },
    {
      id: 'cgroups',
      about: 'counters, events or the life of a cgroup differ',
      layers: ['cgroup', 'runtime', 'api'],
      tags: ['cgroup', 'drivers', 'pids', 'cpu', 'oom'],
      paths: ['kernel/cgroup/*', 'kernel/sched/*', 'include/linux/cgroup*'],
    },
    {
      id: 'signals',
      about: 'a signal is delivered to another process, or an end is reported with another code',
      layers: ['kernel', 'runtime', 'api'],
      tags: ['signal', 'exit', 'seccomp', 'crash'],
      paths: ['kernel/signal.c', 'kernel/exit.c', 'kernel/fork.c', 'kernel/seccomp.c', 'kernel/pid*'],
    },
  ],
  harmless: [
    'tools/*',
    'samples/*',
    'scripts/*',
    'drivers/gpu/*',
    'drivers/media/*',
    'sound/*',
    'arch/arm*/*',
    'arch/riscv/*',
  ],
};
