import { isObject } from '../../model/files/parse-json.ts';
import { numberOf, objectAt, objectsIn, stringOf, timeOf } from '../lines.ts';
import type { RuntimeEntry } from './entry.ts';
import type { ReadObject } from './format.ts';

type Fields = Record<string, unknown>;

const ID = /^[0-9a-f]{64}$/;
/** Labels that the kubelet gives containers and sandboxes (pkg/kubelet/types/labels.go). */
const LABEL = 'io.kubernetes';

/** Whether an object is what a runtime says of containers when it is asked. */
export function isRuntimeObject(value: Fields): boolean {
  return (
    isStatus(value) ||
    isStatus(objectAt(value, 'status')) ||
    isStatus(objectsIn(value['containers'])[0] ?? {}) ||
    isDocker(value)
  );
}

/** Reads `crictl inspect`, `inspectp`, `ps -o json`, one CRI status, or `docker inspect`. */
export function readRuntimeObject(value: Fields, line: number): ReadObject {
  if (isDocker(value)) return { name: 'docker inspect', entries: [ofDocker(value, line)] };
  const list = objectsIn(value['containers']).filter(isStatus);
  const statuses = isStatus(value) ? [value] : list.length > 0 ? list : [objectAt(value, 'status')];
  const sandboxId = stringOf(objectAt(value, 'info')['sandboxID']);
  return { name: 'CRI objects', entries: statuses.map((status) => ofStatus(status, sandboxId, line)) };
}

function isStatus(value: Fields): boolean {
  return (
    ID.test(stringOf(value['id']) ?? '') && /^(?:CONTAINER|SANDBOX)_/.test(stringOf(value['state']) ?? '')
  );
}

function isDocker(value: Fields): boolean {
  return ID.test(stringOf(value['Id']) ?? '') && isStateOfDocker(objectAt(value, 'State'));
}

/** nerdctl does not say who killed. */
function isStateOfDocker(state: Fields): boolean {
  return 'OOMKilled' in state || ('ExitCode' in state && 'FinishedAt' in state && 'Status' in state);
}

function ofStatus(status: Fields, sandboxId: string | undefined, line: number): RuntimeEntry {
  const labels = objectAt(status, 'labels');
  const metadata = objectAt(status, 'metadata');
  const isSandbox = (stringOf(status['state']) ?? '').startsWith('SANDBOX_');
  return {
    kind: 'runtime',
    line,
    status,
    containerId: stringOf(status['id']) ?? '',
    podUid: stringOf(labels[`${LABEL}.pod.uid`]) ?? stringOf(metadata['uid']) ?? '',
    pod: stringOf(labels[`${LABEL}.pod.name`]) ?? (isSandbox ? (stringOf(metadata['name']) ?? '') : ''),
    namespace: stringOf(labels[`${LABEL}.pod.namespace`]) ?? stringOf(metadata['namespace']) ?? '',
    container: isSandbox
      ? ''
      : (stringOf(metadata['name']) ?? stringOf(labels[`${LABEL}.container.name`]) ?? ''),
    sandboxId: sandboxId ?? stringOf(status['podSandboxId']),
    attempt: numberOf(metadata['attempt']),
    startedAt: momentOf(status['startedAt']),
    finishedAt: momentOf(status['finishedAt']),
  };
}

/** A moment that never came is the year 1, or the beginning of 1970. */
function momentOf(value: unknown): number | undefined {
  const at = timeOf(value);
  return at === undefined || at <= 0 ? undefined : at;
}

/** The name of a container that no kubelet made; a sandbox has none. */
function nameOfPlain(value: Fields, labels: Fields): string {
  const isOfKubelet = Object.keys(labels).some((label) => label.startsWith(LABEL));
  return isOfKubelet
    ? ''
    : (stringOf(value['Name']) ?? stringOf(value['Id'])?.slice(0, 12) ?? '').replace(/^\//, '');
}

/** What dockershim and cri-dockerd call an end. */
export function reasonOfDocker(isOomKilled: boolean, exitCode: number): string {
  if (isOomKilled) return 'OOMKilled';
  return exitCode === 0 ? 'Completed' : 'Error';
}

/** `docker inspect`, in the words of CRI: dockershim and cri-dockerd say OOMKilled where docker does. */
function ofDocker(value: Fields, line: number): RuntimeEntry {
  const state = objectAt(value, 'State');
  const given = objectAt(value, 'Config', 'Labels');
  const isOver = state['Running'] !== true;
  const code = numberOf(state['ExitCode']) ?? 0;
  const reason = 'OOMKilled' in state ? reasonOfDocker(state['OOMKilled'] === true, code) : '';
  const status = {
    id: value['Id'],
    state: isOver ? 'CONTAINER_EXITED' : 'CONTAINER_RUNNING',
    reason: isOver ? reason : '',
    exitCode: code,
    startedAt: state['StartedAt'],
    finishedAt: state['FinishedAt'],
    labels: isObject(given) ? given : {},
    metadata: { name: stringOf(given[`${LABEL}.container.name`]) ?? nameOfPlain(value, given) },
  };
  return ofStatus(status, stringOf(given[`${LABEL}.sandbox.id`]), line);
}
