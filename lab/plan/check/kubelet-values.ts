import { nearestName } from '../../model/text/nearest.ts';
import { describeAmount, isQuantity, readQuantity } from './check-quantities.ts';
import { DURATION, type KubernetesApi, type ObjectFinding } from './kubernetes-api.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';
import { get } from './list-objects.ts';

/**
 * What a kubelet does not start with although the types of its fields allow it (pkg/kubelet/apis/config/validation,
 * pkg/kubelet/eviction/helpers.go and cmd/kubelet/app/server.go of k8s.io/kubernetes). The schema of its configuration
 * says nothing about it.
 */

type Fields = Readonly<Record<string, unknown>>;

const EVERY = Number.MAX_SAFE_INTEGER;
const PERCENT = [0, 100] as const;

/** The least and the most of numbers. */
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  containerLogMaxFiles: [2, EVERY],
  containerLogMaxWorkers: [1, EVERY],
  eventBurst: [0, EVERY],
  eventRecordQPS: [0, EVERY],
  imageGCHighThresholdPercent: PERCENT,
  imageGCLowThresholdPercent: PERCENT,
  iptablesDropBit: [0, 31],
  iptablesMasqueradeBit: [0, 31],
  kubeAPIBurst: [0, EVERY],
  kubeAPIQPS: [0, EVERY],
  maxOpenFiles: [0, EVERY],
  maxParallelImagePulls: [1, EVERY],
  maxPods: [0, EVERY],
  nodeLeaseDurationSeconds: [1, EVERY],
  nodeStatusMaxImages: [-1, EVERY],
  oomScoreAdj: [-1000, 1000],
  podsPerCore: [0, EVERY],
  port: [1, 65_535],
  readOnlyPort: [0, 65_535],
  registryBurst: [0, EVERY],
  registryPullQPS: [0, EVERY],
};

/** The texts that a field may have. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  apiVersion: ['kubelet.config.k8s.io/v1beta1'],
  kind: ['KubeletConfiguration'],
  cgroupDriver: ['systemd', 'cgroupfs'],
  configMapAndSecretChangeDetectionStrategy: ['Get', 'Cache', 'Watch'],
  cpuManagerPolicy: ['none', 'static'],
  enforceNodeAllocatable: [
    'none',
    'pods',
    'system-reserved',
    'system-reserved-compressible',
    'kube-reserved',
    'kube-reserved-compressible',
  ],
  hairpinMode: ['promiscuous-bridge', 'hairpin-veth', 'none'],
  memoryManagerPolicy: ['None', 'Static'],
  topologyManagerPolicy: ['none', 'best-effort', 'restricted', 'single-numa-node'],
  topologyManagerScope: ['container', 'pod'],
};

const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'allocatableMemory.available',
  'pid.available',
];

/** What nodes can keep back. */
const RESERVED = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/** A release of Kubernetes, as far as its kubelet decides what it takes. */
type Release = Pick<KubernetesApi, 'release' | 'featureGates'>;

/** Finds what the kubelet of a release would refuse in the fields of its configuration. */
export function findKubeletMistakes(fields: Fields, api: Release): ObjectFinding[] {
  return [
    ...findWrongSwap(fields, api.release),
    ...findOutOfRange(fields),
    ...Object.keys(CHOICES).flatMap((path) => findWrongChoice(fields, path)),
    ...findWrongGates('featureGates', fields.featureGates, api.featureGates),
    ...['evictionHard', 'evictionSoft', 'evictionMinimumReclaim'].flatMap((field) =>
      findWrongThresholds(field, fields[field]),
    ),
    ...findWrongPeriods(fields),
    ...['systemReserved', 'kubeReserved'].flatMap((field) => findWrongReserves(field, fields[field])),
    ...findContradictions(fields),
  ];
}

function findOutOfRange(fields: Fields): ObjectFinding[] {
  const ranged = Object.entries(RANGES).flatMap(([path, [least, most]]) => {
    const value = fields[path];
    if (typeof value !== 'number' || (value >= least && value <= most)) return [];
    const expected = most === EVERY ? `at least ${least}` : `a number from ${least} to ${most}`;
    return [{ path, expected, received: String(value) }];
  });
  const { memoryThrottlingFactor: factor, podPidsLimit: pids } = fields;
  if (typeof factor === 'number' && (factor <= 0 || factor > 1))
    ranged.push({
      path: 'memoryThrottlingFactor',
      expected: 'more than 0, at most 1',
      received: `${factor}`,
    });
  if (typeof pids === 'number' && pids < 1 && pids !== -1)
    ranged.push({ path: 'podPidsLimit', expected: 'at least 1, or -1 for no limit', received: `${pids}` });
  return ranged;
}

/** 1.30 has taken UnlimitedSwap away, brought NoSwap, and turned the gate on. */
const NO_SWAP_SINCE = '1.30';

/** The behaviour of swap, which each release has its own words for, and the gate without which it may not be set. */
function findWrongSwap(fields: Fields, release: string): ObjectFinding[] {
  const isNew = compareAsWritten(release, NO_SWAP_SINCE) >= 0;
  const path = 'memorySwap.swapBehavior';
  const options = isNew ? ['NoSwap', 'LimitedSwap'] : ['LimitedSwap', 'UnlimitedSwap'];
  const gate = get(fields.featureGates, 'NodeSwap');
  if (path.split('.').reduce<unknown>(get, fields) === undefined) return [];
  return [
    ...findWrongChoice(fields, path, options),
    ...(gate === true || (isNew && gate === undefined)
      ? []
      : [
          {
            path: 'featureGates.NodeSwap',
            expected: `true beside ${path}`,
            received: gate === undefined ? 'nothing' : JSON.stringify(gate),
          },
        ]),
  ];
}

function findWrongChoice(
  fields: Fields,
  path: string,
  options: readonly string[] = CHOICES[path] ?? [],
): ObjectFinding[] {
  const value = path.split('.').reduce<unknown>(get, fields);
  const words = Array.isArray(value) ? (value as unknown[]) : [value];
  return words.flatMap((word, index) => {
    if (typeof word !== 'string' || word === '' || options.includes(word)) return [];
    return [
      {
        path: Array.isArray(value) ? `${path}.${index}` : path,
        expected: options.length === 1 ? String(options[0]) : `one of ${options.join(', ')}`,
        received: JSON.stringify(word),
        nearest: nearestName(word, options),
      },
    ];
  });
}

/** A program of Kubernetes ends over a gate that its release does not know. */
export function findWrongGates(field: string, value: unknown, known: readonly string[]): ObjectFinding[] {
  if (typeof value !== 'object' || value === null || known.length === 0) return [];
  return Object.keys(value).flatMap((gate) =>
    known.includes(gate)
      ? []
      : [
          {
            path: `${field}.${gate}`,
            expected: 'a feature gate that this release knows',
            received: JSON.stringify(gate),
            nearest: nearestName(gate, known),
          },
        ],
  );
}

function findWrongThresholds(field: string, value: unknown): ObjectFinding[] {
  return entriesOf(value).flatMap(([signal, amount]) => {
    const path = `${field}.${signal}`;
    if (!SIGNALS.includes(signal)) return [unknownSignal(path, signal)];
    if (typeof amount !== 'string' || isThreshold(amount)) return [];
    const expected = 'an amount such as 100Mi, or a share such as 5%';
    return [{ path, expected, received: JSON.stringify(amount) }];
  });
}

function unknownSignal(path: string, signal: string): ObjectFinding {
  const expected = `one of ${SIGNALS.join(', ')}`;
  return { path, expected, received: JSON.stringify(signal), nearest: nearestName(signal, SIGNALS) };
}

function isThreshold(amount: string): boolean {
  const [, share] = /^(\d+(?:\.\d+)?)%$/.exec(amount) ?? [];
  if (share !== undefined) return Number(share) <= 100;
  return isQuantity(amount) && readQuantity(amount) >= 0;
}

function findWrongPeriods({ evictionSoft, evictionSoftGracePeriod }: Fields): ObjectFinding[] {
  const wrong = entriesOf(evictionSoftGracePeriod).flatMap(([signal, period]) => {
    const path = `evictionSoftGracePeriod.${signal}`;
    if (!SIGNALS.includes(signal)) return [unknownSignal(path, signal)];
    if (typeof period !== 'string' || DURATION.test(period)) return [];
    return [{ path, expected: 'a duration such as 30s or 1m30s', received: JSON.stringify(period) }];
  });
  const missing = entriesOf(evictionSoft).flatMap(([signal]) =>
    get(evictionSoftGracePeriod, signal) === undefined
      ? [
          {
            path: `evictionSoftGracePeriod.${signal}`,
            expected: 'a duration such as 30s',
            received: 'nothing',
          },
        ]
      : [],
  );
  return [...wrong, ...missing];
}

function findWrongReserves(field: string, value: unknown): ObjectFinding[] {
  return entriesOf(value).flatMap(([name, amount]) => {
    const path = `${field}.${name}`;
    if (!RESERVED.includes(name)) {
      const expected = `one of ${RESERVED.join(', ')}`;
      return [{ path, expected, received: JSON.stringify(name), nearest: nearestName(name, RESERVED) }];
    }
    if (typeof amount !== 'string') return [];
    const expected = isQuantity(amount)
      ? describeAmount(name, readQuantity(amount))
      : 'an amount such as 700Mi or 500m';
    return expected === undefined ? [] : [{ path, expected, received: JSON.stringify(amount) }];
  });
}

/** Fields that do not go with each other. */
function findContradictions(fields: Fields): ObjectFinding[] {
  const found: ObjectFinding[] = [];
  const add = (path: string, expected: string): void => {
    found.push({ path, expected, received: JSON.stringify(fields[path]) });
  };
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = fields;
  if (typeof high === 'number' && typeof low === 'number' && low >= high)
    add('imageGCLowThresholdPercent', `less than imageGCHighThresholdPercent, ${high}`);
  const { maxParallelImagePulls: pulls, serializeImagePulls: isSerial } = fields;
  if (typeof pulls === 'number' && pulls > 1 && isSerial !== false)
    add('maxParallelImagePulls', '1, or `serializeImagePulls: false` beside it');
  const [whole, critical] = [fields.shutdownGracePeriod, fields.shutdownGracePeriodCriticalPods].map(
    readSeconds,
  );
  if (critical !== undefined && critical > (whole ?? 0))
    add('shutdownGracePeriodCriticalPods', 'at most shutdownGracePeriod, of which it is a part');
  return found;
}

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** A duration in seconds; undefined for anything else. */
function readSeconds(value: unknown): number | undefined {
  if (typeof value !== 'string' || !DURATION.test(value)) return undefined;
  const parts = [...value.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)];
  return parts.reduce((sum, [, number = '', unit = '']) => sum + Number(number) * (SECONDS[unit] ?? 0), 0);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
