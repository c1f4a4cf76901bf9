import { isObject } from '../../model/files/parse-json.ts';
import { objectAt, objectsIn, stringOf } from '../lines.ts';
import { reasonOfDocker } from './runtime-objects.ts';

type Fields = Record<string, unknown>;

const LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

/**
 * The pod that a part of its status is of: people paste only `lastState`, or all of `status`. It has no name. Undefined where
 * the part says nothing of an end.
 */
export function podOfPart(part: Fields): Fields | undefined {
  const status = isObject(part['status']) ? part['status'] : part;
  const pod = { kind: 'Pod', metadata: objectAt(part, 'metadata'), spec: objectAt(part, 'spec') };
  if (LISTS.some((list) => objectsIn(status[list]).some(hasEnded)) || isEndedPod(status))
    return { ...pod, status };
  const container = containerIn(part) ?? containerOfDocker(objectAt(part, 'State')) ?? containerOfCri(part);
  return container && { ...pod, status: { containerStatuses: [container] } };
}

/** An event whose beginning and brackets were not pasted; undefined where it does not say what happened to what. */
export function eventOfPart(part: Fields): Fields | undefined {
  if (!isObject(part['involvedObject']) || typeof part['reason'] !== 'string') return undefined;
  return { ...part, kind: 'Event', metadata: objectAt(part, 'metadata') };
}

/** `docker inspect | grep -A 12 State`: it has no id. */
function containerOfDocker(state: Fields): Fields | undefined {
  if (state['Running'] !== false || typeof state['OOMKilled'] !== 'boolean') return undefined;
  const { ExitCode: exitCode, StartedAt: startedAt, FinishedAt: finishedAt } = state;
  if (typeof exitCode !== 'number' || stringOf(finishedAt)?.startsWith('0001-') !== false) return undefined;
  const reason = reasonOfDocker(state['OOMKilled'], exitCode);
  return { lastState: { terminated: { exitCode, reason, startedAt, finishedAt } } };
}

/** Some lines of `crictl inspect`: without its id. */
function containerOfCri(status: Fields): Fields | undefined {
  const { state, exitCode, startedAt, finishedAt, reason, message } = status;
  if (state !== 'CONTAINER_EXITED' || typeof exitCode !== 'number') return undefined;
  const terminated = { exitCode, reason, message: stringOf(message) || undefined, startedAt, finishedAt };
  return { lastState: { terminated } };
}

/** The kubelet or somebody else ended the whole pod, and says so in its status. */
function isEndedPod(status: Fields): boolean {
  return status['phase'] === 'Failed' && stringOf(status['reason']) !== undefined;
}

function containerIn(part: Fields): Fields | undefined {
  if (hasEnded(part)) return part;
  return isEnd(objectAt(part, 'terminated')) ? { lastState: part } : undefined;
}

function hasEnded(status: Fields): boolean {
  return ['state', 'lastState'].some((name) => isEnd(objectAt(status, name, 'terminated')));
}

function isEnd(terminated: Fields): boolean {
  return typeof terminated['exitCode'] === 'number';
}
