import { isObject } from '../../model/files/parse-json.ts';
import type { Manifest } from '../../model/declared/scenario.ts';
import { containersOf, fieldOf } from '../facts/read-manifests.ts';

/** The image of the lab's programs (provision/image/container-images.ts). */
const IMAGE = 'whodunit.local/workloads:1';

/** How a container ends, as the report says of it. */
export interface ReportedEnd {
  /** It dies for memory. */
  readonly isOom: boolean;
  readonly exitCode: number | undefined;
}

/** A program of the lab in the place of that of a stranger. */
interface StandIn {
  readonly command: readonly string[];
  /** What it does as the other one did. */
  readonly does: string;
}

/** Fields of a container that are taken as they are: they decide how it lives and dies, and need nothing that is not there. */
const KEPT_OF_CONTAINER = ['resources', 'restartPolicy', 'resizePolicy', 'terminationMessagePolicy'];
/** The same of a pod. */
const KEPT_OF_POD = [
  'restartPolicy',
  'terminationGracePeriodSeconds',
  'activeDeadlineSeconds',
  'hostUsers',
  'shareProcessNamespace',
  'hostPID',
  'enableServiceLinks',
  'resources',
];
const MOST_CONTAINERS = 10;

/**
 * Makes the specification of a pod of that of a report: images of strangers become programs of the lab that do the same, and
 * what the lab's nodes do not have is left out. Every change is said.
 */
export function makePodSpec(
  spec: Record<string, unknown>,
  end: ReportedEnd,
  changes: string[],
): Record<string, unknown> {
  const [main] = containersOf(spec, 'containers');
  const make = (container: Record<string, unknown>): Record<string, unknown> =>
    makeContainer(container, container === main ? end : { isOom: false, exitCode: undefined }, changes);
  const inits = containersOf(spec, 'initContainers')
    .slice(0, MOST_CONTAINERS)
    .map((container) => {
      // An init container has to end, or nothing starts.
      const isSidecar = container.restartPolicy === 'Always';
      return makeContainer(
        container,
        isSidecar ? { isOom: false, exitCode: undefined } : { isOom: false, exitCode: 0 },
        changes,
      );
    });
  const taken = Object.keys(spec).filter(
    (name) => ![...KEPT_OF_POD, 'containers', 'initContainers'].includes(name),
  );
  if (taken.length > 0) changes.push(`left out of the pod: ${taken.sort().join(', ')}`);
  return {
    automountServiceAccountToken: false,
    ...pick(spec, KEPT_OF_POD),
    ...(inits.length === 0 ? {} : { initContainers: inits }),
    containers: containersOf(spec, 'containers').slice(0, MOST_CONTAINERS).map(make),
  };
}

function makeContainer(
  container: Record<string, unknown>,
  end: ReportedEnd,
  changes: string[],
): Record<string, unknown> {
  const name = nameOf(container);
  const { command, does } = standInFor(container, end);
  const image = typeof container.image === 'string' ? container.image : 'its image';
  changes.push(`${name}: ${image} is replaced by ${command[0]?.replace('/bin/', '') ?? ''}, which ${does}`);
  const known = [...KEPT_OF_CONTAINER, 'name', 'image', 'imagePullPolicy', 'command', 'args'];
  const left = Object.keys(container).filter((field) => !known.includes(field));
  if (left.length > 0) changes.push(`${name}: left out ${left.sort().join(', ')}`);
  return {
    name,
    image: IMAGE,
    imagePullPolicy: 'Never',
    command: [...command],
    ...pick(container, KEPT_OF_CONTAINER),
  };
}

/** A name of a container, whatever was pasted. */
export function nameOf(container: Record<string, unknown>): string {
  const name = typeof container.name === 'string' ? container.name : '';
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? name : 'main';
}

/** A program of the lab with the behaviour of another one, as far as its words say it. */
function standInFor(container: Record<string, unknown>, end: ReportedEnd): StandIn {
  const words = [...listOf(container.command), ...listOf(container.args)].join(' ');
  const amount = /--vm-bytes[= ]+(\d+)\s*([KMGkmg])?/.exec(words);
  const wanted =
    amount === null
      ? undefined
      : `${amount[1] ?? ''}${(amount[2] ?? '').toUpperCase()}i`.replace(/^(\d+)i$/, '$1');
  if (end.isOom || wanted !== undefined || /--vm\b|\bmemhog\b|tail \/dev\/zero/.test(words)) {
    const ceiling = wanted ?? beyond(fieldOf(container, 'resources', 'limits', 'memory'));
    return {
      command: [
        '/bin/memory-eater',
        '--step',
        '10Mi',
        '--pause',
        '100ms',
        '--ceiling',
        ceiling,
        '--hold',
        'forever',
      ],
      does: `takes memory up to ${ceiling}`,
    };
  }
  if (end.exitCode !== undefined) {
    return {
      command: ['/bin/sleeper', '--after', '3s', '--exit-code', String(end.exitCode)],
      does: `ends by itself with ${end.exitCode}`,
    };
  }
  // A loop sleeps again and again, and ends when somebody ends it.
  const isLoop = /\b(?:while|until|for)\b/.test(words);
  const sleep = isLoop ? undefined : /\bsleep\s+(\d+)(?:s)?\b/.exec(words)?.[1];
  const isDeaf = /trap\s+(?:''|"")/.test(words);
  if (sleep !== undefined)
    return {
      command: ['/bin/sleeper', '--after', `${sleep}s`, ...(isDeaf ? ['--ignore-term'] : [])],
      does: `sleeps for ${sleep} s`,
    };
  return { command: ['/bin/sleeper', ...(isDeaf ? ['--ignore-term'] : [])], does: 'waits to be stopped' };
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
}

const UNITS: Readonly<Record<string, number>> = {
  Ki: 1 / 1024,
  Mi: 1,
  Gi: 1024,
  K: 1 / 1024,
  M: 1,
  G: 1024,
  k: 1 / 1024,
};
const MOST_MIB = 1500;

/** More than a limit, so that the kernel has to kill; less than what a machine of the lab has. */
function beyond(limit: unknown): string {
  const [, number, unit = ''] =
    /^(\d+(?:\.\d+)?)([KMG]i?|k)?$/.exec(
      typeof limit === 'string' || typeof limit === 'number' ? String(limit) : '',
    ) ?? [];
  if (number === undefined) return '512Mi';
  const mib = unit === '' ? Number(number) / 1024 ** 2 : Number(number) * (UNITS[unit] ?? 1);
  return `${Math.min(MOST_MIB, Math.max(64, Math.ceil(mib * 2)))}Mi`;
}

function pick(object: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])),
  );
}

/** What of the objects of a report is not taken. */
export function describeLeftOut(objects: readonly Manifest[], kept: Manifest): string[] {
  const others = objects.filter((object) => object !== kept);
  const kinds = [...new Set(others.map(({ kind, apiVersion }) => `${String(kind)} (${String(apiVersion)})`))];
  return kinds.length === 0
    ? []
    : [`left out, because the lab's cluster needs or knows none of it: ${kinds.join(', ')}`];
}

/** Whether a value is set in an object, however deep; for `hostPath` of things that are not there. */
export function usesHostPath(spec: Record<string, unknown>): boolean {
  return (
    Array.isArray(spec.volumes) &&
    spec.volumes.some((volume) => isObject(volume) && volume.hostPath !== undefined)
  );
}
