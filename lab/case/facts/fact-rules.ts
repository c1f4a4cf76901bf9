import { words, type FactRule } from './fact-rule.ts';
import { SYMPTOM_RULES } from './symptom-rules.ts';
import { VERSION_RULES } from './version-rules.ts';

const OS_RULES: readonly FactRule[] = [
  // Lines of os-release, where the name is in a line of its own.
  ...(
    [
      ['14.04', 'Trusty'],
      ['16.04', 'Xenial'],
      ['18.04', 'Bionic'],
      ['20.04', 'Focal'],
      ['22.04', 'Jammy'],
      ['24.04', 'Noble'],
    ] as const
  ).map(([release, code]): FactRule => ({
    name: 'os',
    value: `Ubuntu ${release}`,
    words: words(`\\bVERSION="?${release}[^"\\n]*\\b${code}`),
  })),
  { name: 'os', words: words(`\\b(Ubuntu\\s+\\d{2}\\.\\d{2})`) },
  // A kernel or a package names the release that it was built for.
  ...['18.04', '20.04', '22.04', '24.04'].map((release): FactRule => ({
    name: 'os',
    value: `Ubuntu ${release}`,
    words: words(`~${release.replace('.', '\\.')}(?:\\.\\d+)?-Ubuntu\\b`),
  })),
  ...['11', '12', '13'].map((release): FactRule => ({
    name: 'os',
    value: `Debian ${release}`,
    words: words(`\\d[~+]deb${release}u\\d+\\b`),
  })),
  // The kernel of a distribution has it in its release.
  ...['7', '8', '9', '10'].map((release): FactRule => ({
    name: 'os',
    value: `RHEL ${release}`,
    role: 'inferred',
    words: words(`\\d\\.el${release}(?:_\\d+)?\\.(?:x86_64|aarch64)\\b`),
  })),
  ...Array.from({ length: 15 }, (_, index) => `${30 + index}`).map((release): FactRule => ({
    name: 'os',
    value: `Fedora ${release}`,
    role: 'inferred',
    words: words(`\\d\\.fc${release}\\b`),
  })),
  { name: 'os', words: words(`\\b(Debian(?:\\s+(?:GNU\\/)?Linux)?\\s+\\d{1,2})\\b(?![.]\\d+[.]\\d)`) },
  { name: 'os', value: 'Debian 13', words: words(`\\btrixie\\b`) },
  { name: 'os', value: 'Debian 12', words: words(`\\bbookworm\\b`) },
  { name: 'os', value: 'Debian 11', words: words(`\\bbullseye\\b`) },
  { name: 'os', words: words(`\\b(Amazon Linux\\s+(?:2023|2))\\b`) },
  { name: 'os', value: 'Amazon Linux 2023', words: words(`\\bAL2023\\b`) },
  { name: 'os', value: 'Amazon Linux 2', words: words(`\\bAL2\\b`) },
  {
    name: 'os',
    // `centos74` is the name of a machine.
    words: words(
      `\\b((?:Red Hat Enterprise Linux(?: Server| CoreOS)?|RHEL|RHCOS|CentOS(?: Stream| Linux)?|Rocky(?: Linux)?|AlmaLinux|Oracle Linux(?: Server)?)\\s*(?:release\\s+)?v?(?:[5-9]|10)(?!\\d)(?:\\.\\d+)?(?![\\d.]*\\/))`,
    ),
  },
  { name: 'os', words: words(`\\b(Fedora(?:\\s+(?:CoreOS|Linux))?\\s*\\d{2})\\b`) },
  {
    name: 'os',
    words: words(
      `\\b((?:Flatcar(?: Container Linux)?|Bottlerocket(?: OS)?|Container-Optimized OS|Talos(?: Linux)?|openSUSE \\w+|SLES|SUSE Linux Enterprise\\w*|SUSE(?=\\s+\\d)|Alpine(?: Linux)?|Arch ?Linux|NixOS|Photon OS|Azure Linux|Mariner|Raspbian)(?:[\\s(v]*\\d+(?:\\.\\d+)*)?)`,
    ),
  },
  {
    name: 'platform',
    value: 'Windows',
    words: words(
      `\\b(?:Windows Server \\d+|Microsoft Windows|windows\\/amd64|kubernetes\\.io\\/os"?:\\s*"?windows|windows nodes?|osImage:? Windows|hcsshim|on Windows)\\b`,
    ),
  },
  { name: 'platform', value: 'arm64', words: words(`\\b(?:arm64|aarch64|Graviton|Raspberry Pi)\\b`) },
  ...(
    [
      ['GKE', '(?:-gke\\.|\\bGKE\\b)'],
      ['EKS', '(?:-eks-|\\bEKS\\b)'],
      ['AKS', '\\bAKS\\b'],
      ['OpenShift', '\\b(?:OpenShift|OCP)\\b'],
      ['k3s', '\\bk3s(?!\\.)\\w*'],
      ['k3d', '\\bk3d\\b'],
      ['RKE2', '\\brke2\\w*'],
      [
        'kind',
        '\\b(?:kindest\\/node|kind v\\d|kind create cluster|kind cluster|kind (?:worker|control-plane) nodes?|kind-control-plane\\b)|\\bkubernetes-sigs\\/kind\\b',
      ],
      ['minikube', '\\bminikube\\b'],
      ['MicroK8s', '\\bmicrok8s\\b'],
      ['k0s', '\\bk0s\\b'],
      ['Talos', '\\btalos(?:ctl)?\\b'],
      ['Kata Containers', '\\bkata(?:[- ]containers|-runtime|-shim)?\\b'],
      ['Docker Desktop', '\\bDocker Desktop\\b'],
      ['Podman', '\\bpodman\\b'],
      ['nerdctl', '\\bnerdctl\\b'],
      ['Incus', '\\b(?:incus|lxd|lxc)\\b'],
      ['conmon', '\\bconmon(?:rs)?\\b'],
      ['youki', '\\byouki\\b'],
      ['a rootless runtime', '\\brootless\\b(?!\\s*[:=]\\s*false)|\\bas an unprivileged user\\b'],
    ] as const
  ).map(([value, text]): FactRule => ({ name: 'product', value, words: words(text) })),
  // Only with these letters it is not a word of the language.
  { name: 'product', value: 'kind', words: /\bKinD\b/g },
];

const CGROUP_RULES: readonly FactRule[] = [
  {
    name: 'cgroup',
    value: 'v2',
    words: words(
      `\\bcgroups?[\\s-]*(?:version[\\s:]*)?v?2\\b|\\bcgroup2fs\\b|Cgroup Version:\\s*2|unified (?:cgroup )?hierarchy`,
    ),
  },
  {
    name: 'cgroup',
    value: 'v1',
    words: words(`\\bcgroups?[\\s-]*(?:version[\\s:]*)?v?1\\b|Cgroup Version:\\s*1|\\bfailCgroupV1\\b`),
  },
  {
    name: 'cgroup',
    value: 'v2',
    role: 'inferred',
    words: words(
      `\\bmemory\\.(?:max|high|events|oom\\.group|peak|swap\\.max|swap\\.current|current)\\b|\\bcpu\\.(?:max|weight)\\b|\\b(?:memory|cpu|io)\\.pressure\\b`,
    ),
  },
  {
    name: 'cgroup',
    value: 'v1',
    role: 'inferred',
    words: words(
      `\\bmemory\\.(?:limit_in_bytes|oom_control|usage_in_bytes|memsw\\.\\w+|kmem\\.\\w+)|\\/sys\\/fs\\/cgroup\\/(?:memory|cpu,cpuacct|pids|systemd)\\/`,
    ),
  },
  {
    name: 'runtime driver',
    words: words(
      `(?:(?:docker|containerd|cri-o|runtime) cgroup driver|native\\.cgroupdriver)[\\\\"'=:\\s]+(systemd|cgroupfs)`,
    ),
  },
  // Podman and CRI-O call it so.
  { name: 'runtime driver', words: words(`\\bcgroup_?manager["'=:\\s]+(systemd|cgroupfs)`) },
  // The kubelet has put it into a slice, and the runtime took the name for a path.
  {
    name: 'runtime driver',
    value: 'cgroupfs',
    words: words(`\\bkubepods[\\w.-]*\\.slice:(?:cri-containerd|crio|docker):`),
  },
  {
    name: 'kubelet driver',
    words: words(
      `(?<!(?:docker|containerd|cri-o|runtime) |native\\.)cgroup[- ]?Driver(?: (?:is|was|of|to))?[\\\\"'\`=:\\s]+(systemd|cgroupfs)`,
    ),
  },
  { name: 'kubelet driver', words: words(`\\b(systemd|cgroupfs) (?:as )?(?:the )?cgroup driver`) },
  {
    name: 'kubelet driver',
    value: 'systemd',
    role: 'inferred',
    words: words(`kubepods(?:-[\\w-]+)?\\.slice`),
  },
  {
    name: 'kubelet driver',
    value: 'cgroupfs',
    role: 'inferred',
    words: words(`\\/kubepods\\/(?:burstable|besteffort|pod)`),
  },
  { name: 'runtime driver', value: 'systemd', words: words(`SystemdCgroup"?\\s*[=:]\\s*true`) },
  { name: 'runtime driver', value: 'cgroupfs', words: words(`SystemdCgroup"?\\s*[=:]\\s*false`) },
  {
    name: 'runtime driver',
    value: 'systemd',
    role: 'inferred',
    words: words(`\\b(?:cri-containerd|crio|docker)-[0-9a-f]{12,64}\\.scope`),
  },
];

/** Every rule. The first that reads some words counts for them. */
export const FACT_RULES: readonly FactRule[] = [
  ...VERSION_RULES,
  ...OS_RULES,
  ...CGROUP_RULES,
  ...SYMPTOM_RULES,
];
