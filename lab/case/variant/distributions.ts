/** What a distribution ships, as far as the choice of a variant needs it. */
export interface DistributionRelease {
  readonly kernel?: string;
  readonly systemd?: string;
  readonly cgroup: 'v1' | 'v2';
}

interface Distribution {
  readonly name: RegExp;
  /** By the beginning of the version; `''` is any. */
  readonly releases: Readonly<Record<string, DistributionRelease>>;
}

/** From the release notes of each. What is in none of them is chosen by the kernel that the report names. */
const DISTRIBUTIONS: readonly Distribution[] = [
  {
    name: /^Ubuntu/i,
    releases: {
      '18.04': { kernel: '4.15', systemd: '237', cgroup: 'v1' },
      '20.04': { kernel: '5.4', systemd: '245', cgroup: 'v1' },
      '22.04': { kernel: '5.15', systemd: '249', cgroup: 'v2' },
      '24.04': { kernel: '6.8', systemd: '255', cgroup: 'v2' },
      '26.04': { kernel: '7.0', systemd: '259', cgroup: 'v2' },
    },
  },
  {
    name: /^Debian/i,
    releases: {
      '10': { kernel: '4.19', systemd: '241', cgroup: 'v1' },
      '11': { kernel: '5.10', systemd: '247', cgroup: 'v2' },
      '12': { kernel: '6.1', systemd: '252', cgroup: 'v2' },
      '13': { kernel: '6.12', systemd: '257', cgroup: 'v2' },
    },
  },
  {
    name: /^(?:Red Hat|RHEL|RHCOS|CentOS|Rocky|Alma|Oracle)/i,
    releases: {
      '7': { kernel: '3.10', systemd: '219', cgroup: 'v1' },
      '8': { kernel: '4.18', systemd: '239', cgroup: 'v1' },
      '9': { kernel: '5.14', systemd: '252', cgroup: 'v2' },
      '10': { kernel: '6.12', systemd: '257', cgroup: 'v2' },
    },
  },
  {
    name: /^Amazon/i,
    releases: {
      '2023': { kernel: '6.1', systemd: '252', cgroup: 'v2' },
      '2': { kernel: '5.10', systemd: '219', cgroup: 'v1' },
    },
  },
  {
    name: /^(?:Fedora|Flatcar|Talos|Arch|NixOS|openSUSE|Container-Optimized|Bottlerocket|Azure Linux)/i,
    releases: { '': { cgroup: 'v2' } },
  },
];

/** What a distribution ships; undefined when it is not known here. */
export function findDistribution(os: string): DistributionRelease | undefined {
  const found = DISTRIBUTIONS.find(({ name }) => name.test(os));
  const version = /(\d+(?:\.\d+)?)/.exec(os)?.[1] ?? '';
  const key = Object.keys(found?.releases ?? {})
    .filter((release) => version === release || version.startsWith(`${release}.`) || release === '')
    .sort((one, other) => other.length - one.length)[0];
  return key === undefined ? undefined : found?.releases[key];
}
