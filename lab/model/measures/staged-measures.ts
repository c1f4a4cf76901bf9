import {
  MANY,
  NODE_COUNT,
  NODE_FLAG,
  OOM_SCORE_ADJ_MAX,
  OOM_SCORE_ADJ_MIN,
  VICTIM_COUNT,
  VICTIM_FLAG,
  VICTIM_MIB,
  type MeasureRow,
} from './measure-row.ts';

/** MAX_SHARES of kernel/sched/sched.h: the most that cpu.shares of cgroup v1 can be; cpu.weight has less. */
const CPU_SHARES_MAX = 262_144;

/** More than a kernel looks at within hours: one page again and again counts each time. */
const PAGES_MAX = 1e12;

/** Measures that one or two scenarios stage, to hold what was said of Kubernetes against a node. */
export const STAGED_MEASURES = {
  'in-system-slice': {
    ...VICTIM_FLAG,
    means:
      "1 while the victim's first process is in a cgroup of `system.slice`, outside of those of all pods, else 0",
  },
  'in-cgroup-of-pause': {
    ...VICTIM_FLAG,
    means: "1 while the victim's first process is in the cgroup of its pod's pause container, else 0",
  },
  'systemd-path-warnings': {
    ...NODE_COUNT,
    means: 'warnings in the logs of runsc that the path of a cgroup looks like one of systemd',
  },
  'systemd-cgroup-taken': {
    ...NODE_FLAG,
    means: '1 where runsc takes its flag `systemd-cgroup`, 0 where it says that it cannot',
  },
  'cpu-weight': {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: 0,
    most: 10_000,
    means: "weight of the victim's container for CPU time (`cpu.weight`, cgroup v2)",
  },
  'cpu-weight-of-class': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 1,
    most: CPU_SHARES_MAX,
    means: 'weight for CPU time of the cgroup of a QoS class (`cpu.weight`; `cpu.shares` on cgroup v1)',
  },
  'cpu-time-s': {
    unit: 's',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means: 'CPU time that the cgroup of the busy container has used; its slope is what it gets in a minute',
  },
  'cpu-throttled-s': {
    unit: 's',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means: 'time for which the cgroup of the busy container was held back by its limit for CPU (`cpu.stat`)',
  },
  'cpuset-missing': {
    ...NODE_FLAG,
    means:
      '1 while the cgroup of the Burstable class does not hand `cpuset` down (`cgroup.subtree_control`), else 0',
  },
  'cpuset-returns': {
    ...NODE_COUNT,
    means: 'how often `cpuset` was missing there in one sample and back in the next',
  },
  'cpuset-lost': {
    ...NODE_FLAG,
    means:
      '1 where `cpuset` went from there within a second of what a script did to the weight of that cgroup, else 0',
  },
  'cpuset-taken-by-systemd': {
    ...NODE_COUNT,
    means:
      'writes of `-cpuset` into `cgroup.subtree_control` of the Burstable class by process 1, from a trace of the kernel',
  },
  'cpuset-taken-by-others': {
    ...NODE_COUNT,
    means: 'the same writes by any other process',
  },
  'cpuset-given-by-kubelet': {
    ...NODE_COUNT,
    means: 'writes of `+cpuset` into the same file by the kubelet',
  },
  'unit-changes-asked-for': {
    ...NODE_COUNT,
    means: 'calls of `SetUnitProperties` that systemd got over D-Bus, counted from the start of the cell',
  },
  'units-asked-for': {
    ...NODE_COUNT,
    means: 'calls of `StartTransientUnit` that systemd got over D-Bus, counted from the start of the cell',
  },
  'bystander-restarts': {
    ...NODE_COUNT,
    means: 'how often the container of the bystander was started again (the number of its log)',
  },
  'request-to-kill-s': {
    unit: 's',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means:
      'from the last call of `SetUnitProperties` before it to the last death of the bystander, as systemd and the node told of them',
  },
  'cgroups-made-by-systemd': {
    ...VICTIM_COUNT,
    means: "folders of cgroups of the victim's pod that process 1 made, from a trace of the kernel",
  },
  'cgroups-made-by-kubelet': {
    ...VICTIM_COUNT,
    means: 'those that the kubelet made',
  },
  'cgroups-made-by-runc': {
    ...VICTIM_COUNT,
    means: 'those that runc made',
  },
  'next-container-started': {
    ...NODE_FLAG,
    means: '1 once the container that waits for the victim, an init container, has been made, else 0',
  },
  'java-heap-most': {
    ...VICTIM_MIB,
    means: 'the largest heap that a Java runtime gives its program (`Runtime.maxMemory()`)',
  },
  'overcommit-memory': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: 2,
    means:
      'whether the kernel promises more memory than it has (`vm.overcommit_memory`): 0 it guesses, 1 always, 2 never',
  },
  'overcommit-ratio': {
    ...NODE_COUNT,
    means: 'percent of the memory that count where it never does (`vm.overcommit_ratio`)',
  },
  'commit-limit': {
    unit: 'MiB',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means: 'what it may promise then (`CommitLimit` of `/proc/meminfo`)',
  },
  'pid-max': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 1,
    most: MANY,
    means: 'how many process ids the node has (`kernel.pid_max`)',
  },
  'page-size': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 1,
    most: MANY,
    means: 'bytes of a page (`getconf PAGESIZE`)',
  },
  'cgroup-mounts': {
    ...NODE_COUNT,
    means: 'file systems of cgroups that are mounted, of both versions',
  },
  'cpuset-hierarchies': {
    ...NODE_COUNT,
    means: 'hierarchies of cgroup v1 that have `cpuset` and not `cpu`',
  },
  'cgroup-folders': {
    ...VICTIM_COUNT,
    means: "folders below `/sys/fs/cgroup` that have the id of the victim's container in their name",
  },
  'limited-cgroups': {
    ...VICTIM_COUNT,
    means:
      "how many of two cgroups have a limit for memory: that of the victim's container, and that of its pod",
  },
  'kube-api-qps': {
    ...NODE_COUNT,
    means: 'requests a second that the kubelet allows itself (`kubeAPIQPS` of its `configz`)',
  },
  'event-qps': {
    ...NODE_COUNT,
    means: 'events a second that it allows itself (`eventRecordQPS`)',
  },
  'dockershim-flags': {
    ...NODE_COUNT,
    means: 'lines of `kubelet --help` about `--docker-endpoint`, which only a kubelet with dockershim has',
  },
  'kubelet-oom-score-adj': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: OOM_SCORE_ADJ_MIN,
    most: OOM_SCORE_ADJ_MAX,
    means: '`oom_score_adj` of the process of the kubelet',
  },
  'kubelet-restarts': {
    ...NODE_COUNT,
    means: 'how often systemd has started the kubelet again after it ended (`NRestarts`)',
  },
  'kubelet-oom-lines': {
    ...NODE_COUNT,
    means: 'lines of the journal of the kubelet that speak of an OOM kill',
  },
  'oom-events': {
    unit: '',
    of: 'node',
    from: 'events',
    least: 0,
    most: MANY,
    means: 'events whose reason names an OOM, of any object, since the cell was deployed',
  },
  'pod-warnings': {
    unit: '',
    of: 'node',
    from: 'events',
    least: 0,
    most: MANY,
    means:
      "events of type `Warning` about any pod of the victim's namespace, which `kubectl describe` would show, since the cell was deployed",
  },
  'pods-refused': {
    ...NODE_COUNT,
    means: 'pods that the kubelet refused for a sysctl (`SysctlForbidden`)',
  },
  'memory-reserved': {
    ...VICTIM_MIB,
    means: "address space of the victim's first process (`VmSize`)",
  },
  'memory-resident': {
    ...VICTIM_MIB,
    means: 'what of it is in memory (`VmRSS`)',
  },
  'memory-anon': {
    ...VICTIM_MIB,
    means:
      "anonymous memory that is charged to the victim's container (`anon` of `memory.stat`; `rss` on cgroup v1)",
  },
  'memory-file': {
    ...VICTIM_MIB,
    means: 'page cache that is charged to it, with shared memory (`file`; `cache` on cgroup v1)',
  },
  'memory-shmem': {
    ...VICTIM_MIB,
    means: 'shared memory and files of a tmpfs that are charged to it (`shmem`)',
  },
  'stats-apart': {
    ...VICTIM_MIB,
    means:
      "how far the kubelet's number for the victim's container (`/stats/summary`) is from that of its cgroup",
  },
  'oom-score': {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: 0,
    most: 2000,
    means: "badness of the victim's first process among those of the node (`/proc/<pid>/oom_score`)",
  },
  'oom-score-behind': {
    unit: '',
    of: 'victim',
    from: 'sampler',
    least: -2000,
    most: 2000,
    means: "the highest `oom_score` of any other process in pods, less that of the victim's first process",
  },
  'under-oom': {
    ...VICTIM_FLAG,
    means:
      "1 while the victim's processes wait at a limit at which nobody kills (`under_oom`, cgroup v1), else 0",
  },
  'file-refaults': {
    ...NODE_COUNT,
    means:
      'pages of files that were read again soon after the kernel had dropped them (`workingset_refault_file`), since the first look',
  },
  'major-faults': {
    ...NODE_COUNT,
    means: 'faults for which a process had to wait for a disk (`pgmajfault`), since the first look',
  },
  'pages-scanned-by-kswapd': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: PAGES_MAX,
    means: 'pages that kswapd looked at to free them (`pgscan_kswapd`), since the first look',
  },
  'pages-scanned-directly': {
    unit: '',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: PAGES_MAX,
    means:
      'pages that processes in want of memory looked at themselves (`pgscan_direct`), since the first look',
  },
  'kswapd-cpu-s': {
    unit: 's',
    of: 'node',
    from: 'sampler',
    least: 0,
    most: MANY,
    means: 'CPU time that kswapd has used since the first look',
  },
  'allocation-stalls': {
    ...NODE_COUNT,
    means:
      'allocations that found too few free pages and had to free some first (`allocstall`), since the first look',
  },
  'shutdowns-begun': {
    ...VICTIM_COUNT,
    means: 'how often the cron program says that it was told to end, and waits for its jobs',
  },
  processes: {
    ...VICTIM_COUNT,
    means: "processes of the victim's container that are no zombies",
  },
  'controller-file-before': {
    ...NODE_FLAG,
    means:
      '1 where a new cgroup has a file of the controller (`cpu.weight`, `memory.max`) although the one above hands nothing down, else 0',
  },
  'controller-file-after': {
    ...NODE_FLAG,
    means: '1 where it has the file after the controller was handed down above, else 0',
  },
  'log-lines-first': {
    ...NODE_COUNT,
    means: 'lines of the log of the kernel that a first reading gives',
  },
  'log-lines-again': {
    ...NODE_COUNT,
    means: 'lines that a second reading gives',
  },
} as const satisfies Readonly<Record<string, MeasureRow>>;
