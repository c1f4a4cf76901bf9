import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { checkSchedule } from './check-schedule.ts';
import { get, listLater, listManifests, type LocatedObject } from './list-objects.ts';

/**
 * What the API refuses although the types of its fields allow it (pkg/apis/core/validation and pkg/apis/batch/validation
 * of k8s.io/kubernetes): the schemas of a release say nothing about it.
 */

/** A value that some field may not have. */
interface Mistake {
  readonly expected: string;
  readonly received: string;
  readonly nearest?: string | undefined;
  /** Path below the field, where that is more exact. */
  readonly below?: string;
}

/** Says what is wrong with a value; nothing when it may be. What the schema refuses already has no mistake here. */
type Check = (value: unknown, parent: unknown) => readonly Mistake[];

const LABEL_NAME = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_FORM = 'a name of at most 63 lower-case letters, digits and -';
const MOST_SECONDS = 2 ** 31 - 1;
const PROBE_FIELDS = /Seconds$|Threshold$/;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const HOOKS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

function between(least: number, most: number): Check {
  return (value) =>
    typeof value !== 'number' || (value >= least && value <= most)
      ? []
      : [{ expected: `a whole number from ${least} to ${most}`, received: String(value) }];
}

function matching(pattern: RegExp, expected: string): Check {
  return (value) =>
    typeof value !== 'string' || pattern.test(value) ? [] : [{ expected, received: show(value) }];
}

/** Checks the names of a map, and its texts where they have a form. */
function mapOf(name: RegExp, expected: string, value?: RegExp): Check {
  return (map) =>
    entriesOf(map).flatMap(([key, inner]) => {
      if (!name.test(key)) return [{ expected, received: show(key) }];
      return value === undefined || typeof inner !== 'string' || value.test(inner)
        ? []
        : [{ expected: 'at most 63 letters, digits, -, _ and .', received: show(inner), below: key }];
    });
}

/** Checks that entries of a list differ in a field. */
function differingIn(field: string): Check {
  return (list) => {
    const names = itemsOf(list).map((entry) => get(entry, field));
    return names.flatMap((name, index) =>
      typeof name === 'string' && names.indexOf(name) < index
        ? [{ expected: 'a name of its own', received: show(name), below: `${index}.${field}` }]
        : [],
    );
  };
}

/** Checks a field of each entry of a list. */
function eachHas(field: string, check: Check): Check {
  return (list) =>
    itemsOf(list).flatMap((entry, index) =>
      check(get(entry, field), entry).map((mistake) => ({ ...mistake, below: `${index}.${field}` })),
    );
}

/** A hook does one thing. */
const hook: Check = (value) => {
  if (typeof value !== 'object' || value === null) return [];
  const ways = Object.keys(value);
  if (ways.some((way) => !HOOKS.includes(way)) || ways.length === 1) return commandOf(value);
  return [{ expected: `one of ${HOOKS.join(', ')}`, received: ways.join(' and ') || 'none' }];
};

/** What is executed has a program. */
function commandOf(value: unknown): Mistake[] {
  const command = get(get(value, 'exec'), 'command');
  if (get(value, 'exec') === undefined || itemsOf(command).length > 0) return [];
  return [{ expected: 'a program and its arguments', received: show(command ?? []), below: 'exec.command' }];
}

function probe(mostSuccesses: number): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null) return [];
    const ways = HANDLERS.filter((way) => get(value, way) !== undefined);
    const successes = get(value, 'successThreshold');
    // An unknown way is reported as an unknown field.
    const isKnown = Object.keys(value).every((field) => PROBE_FIELDS.test(field) || HANDLERS.includes(field));
    return [
      ...(ways.length === 1 || !isKnown
        ? []
        : [{ expected: `one of ${HANDLERS.join(', ')}`, received: ways.join(' and ') || 'none' }]),
      ...(typeof successes === 'number' && successes > mostSuccesses
        ? [{ expected: String(mostSuccesses), received: String(successes), below: 'successThreshold' }]
        : []),
      ...POSITIVE(get(value, 'terminationGracePeriodSeconds'), value).map((mistake) => ({
        ...mistake,
        below: 'terminationGracePeriodSeconds',
      })),
      ...commandOf(value),
    ];
  };
}

/** The volumes that a container mounts have to be those of its pod. */
const mountsOfPod: Check = (spec) => {
  const volumes = itemsOf(get(spec, 'volumes')).map((volume) => String(get(volume, 'name')));
  return ['containers', 'initContainers'].flatMap((list) =>
    itemsOf(get(spec, list)).flatMap((container, index) =>
      itemsOf(get(container, 'volumeMounts')).flatMap((mount, number) => {
        const name = get(mount, 'name');
        if (typeof name !== 'string' || volumes.includes(name)) return [];
        const expected =
          volumes.length === 0 ? 'a volume of the pod, which has none' : `one of ${volumes.join(', ')}`;
        const below = `${list}.${index}.volumeMounts.${number}.name`;
        return [{ expected, received: show(name), nearest: nearestName(name, volumes), below }];
      }),
    ),
  );
};

/** The containers of a pod have names of their own, those that run first too. */
const namesOfPod: Check = (spec) => {
  const taken = itemsOf(get(spec, 'containers')).map((container) => get(container, 'name'));
  return itemsOf(get(spec, 'initContainers')).flatMap((container, index) => {
    const name = get(container, 'name');
    if (typeof name !== 'string' || !taken.includes(name)) return [];
    return [{ expected: 'a name of its own', received: show(name), below: `initContainers.${index}.name` }];
  });
};

/** What a pod has only once it is there. */
const createdPod: Check = (spec) =>
  [
    { field: 'overhead', expected: 'no overhead: the API takes only that of a RuntimeClass' },
    { field: 'ephemeralContainers', expected: 'none: the API takes them only for a pod that runs' },
  ].flatMap(({ field, expected }) => {
    const value = get(spec, field);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return [{ expected, received: show(value), below: field }];
  });

/** What pods of these kinds do when a container ends. */
const RESTARTS: Readonly<Record<string, readonly string[]>> = {
  Job: ['Never', 'OnFailure'],
  CronJob: ['Never', 'OnFailure'],
  Deployment: ['Always'],
  ReplicaSet: ['Always'],
  StatefulSet: ['Always'],
  DaemonSet: ['Always'],
};

const NON_NEGATIVE = between(0, MOST_SECONDS);
const POSITIVE = between(1, MOST_SECONDS);
const PORT = between(1, 65_535);
/** A port by the name that the container gives it (IANA_SVC_NAME). */
const PORT_NAME = matching(
  /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/,
  'the name of a port: at most 15 lower-case letters, digits and -',
);
const RESIZE_RESTARTS = matching(/^(NotRequired|RestartContainer)$/, 'NotRequired or RestartContainer');
const VARIABLE_NAME = matching(/^[^=\s]+$/, 'the name of a variable, without = and spaces');
const NAMES_OF_CONTAINERS = differingIn('name');
const LABELS = mapOf(LABEL_NAME, 'the name of a label: letters, digits, -, _ and .', LABEL_VALUE);

/** Fields of a container that are something else elsewhere. */
const OF_CONTAINERS: Readonly<Record<string, Check>> = {
  name: matching(DNS_LABEL, LABEL_FORM),
  restartPolicy: matching(/^(Always|OnFailure|Never)$/, 'one of Always, OnFailure, Never'),
};

/** Every field, wherever it is in an object, and what it may be. */
const FIELDS: Readonly<Record<string, Check>> = {
  labels: LABELS,
  matchLabels: LABELS,
  nodeSelector: LABELS,
  annotations: mapOf(LABEL_NAME, 'the name of an annotation: letters, digits, -, _ and .'),
  activeDeadlineSeconds: between(1, MOST_SECONDS),
  initialDelaySeconds: NON_NEGATIVE,
  periodSeconds: NON_NEGATIVE,
  timeoutSeconds: NON_NEGATIVE,
  failureThreshold: NON_NEGATIVE,
  successThreshold: NON_NEGATIVE,
  backoffLimit: NON_NEGATIVE,
  completions: NON_NEGATIVE,
  parallelism: NON_NEGATIVE,
  replicas: NON_NEGATIVE,
  startingDeadlineSeconds: NON_NEGATIVE,
  ttlSecondsAfterFinished: NON_NEGATIVE,
  minReadySeconds: NON_NEGATIVE,
  containerPort: PORT,
  hostPort: between(0, 65_535),
  port: (value, parent) => [...PORT(value, parent), ...PORT_NAME(value, parent)],
  ports: eachHas('name', PORT_NAME),
  runAsUser: NON_NEGATIVE,
  runAsGroup: NON_NEGATIVE,
  fsGroup: NON_NEGATIVE,
  oomScoreAdj: between(-1000, 1000),
  livenessProbe: probe(1),
  startupProbe: probe(1),
  readinessProbe: probe(MOST_SECONDS),
  preStop: hook,
  postStart: hook,
  priority: between(-(2 ** 31), MOST_SECONDS),
  nodeName: matching(/^node-([1-9]|10)$/, 'the name of a node, such as node-1'),
  hostname: matching(DNS_LABEL, LABEL_FORM),
  subdomain: matching(DNS_LABEL, LABEL_FORM),
  medium: matching(/^(Memory|HugePages(-\w+)?)?$/, 'Memory, or nothing for the disk of the node'),
  hostPath: (volume) =>
    matching(/^(?!(.*\/)?\.\.(\/|$))/, 'a path without ..')(get(volume, 'path'), volume).map((mistake) => ({
      ...mistake,
      below: 'path',
    })),
  timeZone: (value) =>
    typeof value !== 'string' || isTimeZone(value)
      ? []
      : [{ expected: 'a time zone such as Etc/UTC', received: show(value) }],
  sleep: (action) =>
    NON_NEGATIVE(get(action, 'seconds'), action).map((mistake) => ({ ...mistake, below: 'seconds' })),
  resizePolicy: (list) => [
    ...eachHas('resourceName', matching(/^(cpu|memory)$/, 'cpu or memory'))(list, list),
    ...eachHas('restartPolicy', RESIZE_RESTARTS)(list, list),
  ],
  env: (list) => [
    ...eachHas('name', VARIABLE_NAME)(list, list),
    ...itemsOf(list).flatMap((variable, index) =>
      Boolean(get(variable, 'value')) && get(variable, 'valueFrom') !== undefined
        ? [{ expected: 'value or valueFrom', received: 'both', below: `${index}.valueFrom` }]
        : [],
    ),
  ],
  volumes: (list) => [...differingIn('name')(list, list), ...ofOneKind(list)],
  terminationGracePeriodSeconds: NON_NEGATIVE,
  containers: (list) => [...NAMES_OF_CONTAINERS(list, list), ...checkContainers(list)],
  initContainers: (list) => [...NAMES_OF_CONTAINERS(list, list), ...checkContainers(list)],
  schedule: (value) => (typeof value === 'string' ? checkSchedule(value) : []),
};

/** A volume without a kind is an empty folder. */
function ofOneKind(list: unknown): Mistake[] {
  return itemsOf(list).flatMap((volume, index) => {
    const kinds = entriesOf(volume).flatMap(([field]) => (field === 'name' ? [] : [field]));
    if (kinds.length < 2) return [];
    return [{ expected: 'one kind of volume', received: kinds.join(' and '), below: String(index) }];
  });
}

function checkContainers(list: unknown): Mistake[] {
  return itemsOf(list).flatMap((container, index) =>
    Object.entries(OF_CONTAINERS).flatMap(([field, check]) =>
      check(get(container, field), list).map((mistake) => ({ ...mistake, below: `${index}.${field}` })),
    ),
  );
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Fields of these are data, whatever they are called. */
const OPAQUE = ['data', 'stringData', 'binaryData', 'exec', 'args', 'command'];

/** Checks what the API refuses in the objects of a scenario, and in what it patches. */
export function checkPods(loaded: LoadedScenario): ConfigProblem[] {
  const { scenario, folder } = loaded;
  const objects = [...listManifests(loaded), ...listLater(loaded)];
  return [
    ...objects.flatMap(checkObject),
    ...scenario.stimulus.flatMap((stimulus, index) =>
      stimulus.kind === 'patch-pod'
        ? checkBelow(`${folder}/scenario.yaml`, `stimulus.${index}.spec`, stimulus.spec)
        : [],
    ),
  ];
}

function checkObject({ file, path, object }: LocatedObject): ConfigProblem[] {
  const isMap = object.kind === 'ConfigMap' || object.kind === 'Secret';
  const keys = mapOf(/^[-\w.]+$/, 'a key of letters, digits, -, _ and .');
  const specs = Object.hasOwn(RESTARTS, String(object.kind)) ? findPodSpecs(object, path) : [];
  return [
    ...checkBelow(file, path, object),
    ...(isMap ? toProblems(file, `${path}.data`, keys(object.data, object)) : []),
    ...specs.flatMap(({ at, spec }) => {
      const allowed = RESTARTS[String(object.kind)] ?? [];
      const policy = get(spec, 'restartPolicy') ?? 'Always';
      if (typeof policy !== 'string' || allowed.includes(policy)) return [];
      const expected = `${allowed.join(' or ')} for a ${String(object.kind)}`;
      return [configProblem(file, `${at}.restartPolicy`, expected, show(policy))];
    }),
  ];
}

/** The specs of pods below a value: what has containers. */
function findPodSpecs(value: unknown, path: string): { at: string; spec: unknown }[] {
  if (Array.isArray(get(value, 'containers'))) return [{ at: path, spec: value }];
  return entriesOf(value).flatMap(([key, inner]) => findPodSpecs(inner, `${path}.${key}`));
}

function checkBelow(file: string, path: string, value: unknown): ConfigProblem[] {
  const isSpec = Array.isArray(get(value, 'containers')) && !path.startsWith('stimulus');
  return [
    ...(isSpec
      ? toProblems(file, path, [
          ...mountsOfPod(value, value),
          ...namesOfPod(value, value),
          ...createdPod(value, value),
        ])
      : []),
    ...entriesOf(value).flatMap(([key, inner]) => {
      const at = `${path}.${key}`;
      const check = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
      return [
        ...toProblems(file, at, check?.(inner, value) ?? []),
        ...(OPAQUE.includes(key) ? [] : checkBelow(file, at, inner)),
      ];
    }),
  ];
}

function toProblems(file: string, path: string, mistakes: readonly Mistake[]): ConfigProblem[] {
  return mistakes.map(({ expected, received, nearest, below }) =>
    configProblem(file, below === undefined ? path : `${path}.${below}`, expected, received, nearest),
  );
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
