import { SYSTEMD_CGROUP } from '../../model/axes/runtime.ts';
import type { GatedReach } from './program-area.ts';

/* Both cgroup versions, and both drivers: each has a manager of its own in a runtime. */
const BOTH_MANAGERS = {
  cgroup: ['v2', 'v1'],
  drivers: ['systemd+systemd', 'cgroupfs+cgroupfs'],
} as const;

export const RUNC: GatedReach = {
  runtime: 'runc',
  beside: BOTH_MANAGERS,
  because: 'runc has one cgroup manager for each cgroup version and driver (fs, fs2, systemd v1 and v2)',
  source: 'https://github.com/opencontainers/runc/tree/main/libcontainer',
  areas: [
    {
      id: 'cgroups',
      about: 'limits are written or joined differently: another cgroup is hit, or nobody is killed',
      layers: ['kernel', 'cgroup', 'runtime', 'api'],
      tags: ['oom', 'memory', 'pids', 'cpu', 'cgroup', 'drivers', 'qos'],
      paths: [
        'libcontainer/cgroups/*',
        'libcontainer/configs/*',
        'libcontainer/specconv/*',
        'vendor/github.com/opencontainers/cgroups/*',
        'vendor/github.com/coreos/go-systemd/*',
        'update.go',
      ],
    },
    {
      id: 'start',
      about:
        'the first process needs more memory or starts otherwise: a container with a small limit dies before it runs',
      layers: ['kernel', 'runtime', 'kubelet', 'api'],
      tags: ['start', 'exit', 'exec', 'oom'],
      paths: [
        'libcontainer/nsenter/*',
        'libcontainer/*init*',
        'libcontainer/process*',
        'libcontainer/dmz/*',
        'libcontainer/exeseal/*',
        'create.go',
        'exec.go',
        'init.go',
        'run.go',
        'start.go',
        'utils_linux.go',
      ],
    },
    {
      id: 'signals',
      about: 'a signal reaches another process, later, or none: another killer, or another exit code',
      layers: ['runtime', 'kubelet', 'api'],
      tags: ['signal', 'deletion', 'sidecar', 'probe'],
      paths: ['kill.go', 'delete.go', 'signals.go', 'libcontainer/container*', 'libcontainer/state*'],
    },
    {
      id: 'isolation',
      about: 'a call is refused that was allowed, or a mount has another size',
      layers: ['kernel', 'api'],
      tags: ['seccomp', 'tmpfs', 'signal'],
      paths: ['libcontainer/seccomp/*', 'libcontainer/rootfs*', 'libcontainer/capabilities/*'],
    },
  ],
  harmless: ['tests/*', 'man/*', 'contrib/*', 'libcontainer/intelrdt/*', 'checkpoint.go', 'restore.go'],
};

export const CRUN: GatedReach = {
  runtime: 'crun',
  beside: BOTH_MANAGERS,
  because: 'crun writes cgroup v1 and v2, by itself or through systemd, in files of their own',
  source: 'https://github.com/containers/crun/tree/main/src/libcrun',
  areas: [
    {
      id: 'cgroups',
      about: 'limits are written or joined differently: another cgroup is hit, or nobody is killed',
      layers: ['kernel', 'cgroup', 'runtime', 'api'],
      tags: ['oom', 'memory', 'pids', 'cpu', 'cgroup', 'drivers', 'qos'],
      paths: ['src/libcrun/cgroup*', 'src/libcrun/ebpf*', 'src/update.c'],
    },
    {
      id: 'start',
      about: 'the first process starts otherwise: it dies before it runs, or with another code',
      layers: ['kernel', 'runtime', 'api'],
      tags: ['start', 'exit', 'exec', 'oom'],
      paths: [
        'src/libcrun/container.c',
        'src/libcrun/linux.c',
        'src/create.c',
        'src/exec.c',
        'src/run.c',
        'src/start.c',
      ],
    },
    {
      id: 'signals',
      about: 'a signal reaches another process, or none',
      layers: ['runtime', 'kubelet', 'api'],
      tags: ['signal', 'deletion', 'sidecar', 'probe'],
      paths: ['src/kill.c', 'src/delete.c', 'src/libcrun/signals*', 'src/libcrun/status.c'],
    },
    {
      id: 'isolation',
      about: 'a call is refused that was allowed',
      layers: ['kernel', 'api'],
      tags: ['seccomp', 'tmpfs'],
      paths: ['src/libcrun/seccomp*', 'src/libcrun/mount*'],
    },
  ],
  harmless: ['tests/*', 'contrib/*', 'python/*', 'lua/*'],
};

export const RUNSC: GatedReach = {
  runtime: 'runsc',
  // Without it the sandbox is outside of the cgroup that the kubelet's systemd driver names, and nobody is killed.
  option: SYSTEMD_CGROUP,
  beside: { cgroup: ['v2', 'v1'] },
  because:
    'runsc joins cgroups itself, differently for v1 and v2; the sandbox is one process for the whole pod',
  source: 'https://github.com/google/gvisor/tree/master/runsc/cgroup',
  areas: [
    {
      id: 'cgroups',
      about: 'the sandbox is in another cgroup: no limit holds, or that of the pod is hit',
      layers: ['kernel', 'cgroup', 'runtime', 'api'],
      tags: ['oom', 'memory', 'gvisor', 'cgroup'],
      paths: ['runsc/cgroup/*', 'runsc/specutils/*'],
    },
    {
      id: 'shim',
      about: 'the end of the sandbox is reported otherwise: OOMKilled or Error, 137 or 128',
      layers: ['runtime', 'kubelet', 'api'],
      tags: ['oom', 'exit', 'signal', 'gvisor'],
      paths: ['pkg/shim/*', 'shim/*'],
    },
    {
      id: 'sentry',
      about: 'a process inside is ended by another kernel than that of the node',
      layers: ['runtime', 'api'],
      tags: ['signal', 'exit', 'memory', 'gvisor'],
      paths: ['pkg/sentry/*', 'runsc/boot/*', 'runsc/sandbox/*', 'runsc/container/*'],
    },
  ],
  harmless: ['test/*', 'website/*', 'g3doc/*', 'images/*', 'tools/*', '.buildkite/*'],
};
