import type { ForeignCluster, V1Node, V1Pod } from '../../drivers/kubernetes/foreign-cluster.ts';
import { objectAt, objectsIn, stringOf } from '../../evidence/lines.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { Host } from '../../model/host/host.ts';
import { shellWord } from '../../model/text/shell.ts';
import {
  describeRefusal,
  parseAnswer,
  type LiveFile,
  type LiveFiles,
  type LiveQuestion,
} from './live-files.ts';
import { readNode } from './node-access.ts';

/** Journals are read from this long before the last death that the pod knows of, and up to this long after it. */
const BEFORE_SECONDS = 600;
const AFTER_SECONDS = 120;

/**
 * Reads what a cluster still knows of a pod's death: the API first, then its node as far as it is allowed. Nothing is
 * changed, but for the pod that `debug-pod` makes and removes.
 *
 * @throws UsageError when the API knows neither the pod nor an event of it. HostError when the API does not answer.
 */
export async function collectLive(
  host: Host,
  cluster: ForeignCluster,
  question: LiveQuestion,
): Promise<LiveFiles> {
  const files: LiveFile[] = [];
  const missing: { path: string; why: string }[] = [];
  const save = async (path: string, address: string): Promise<unknown> => {
    const { status, text } = await cluster.get(address);
    if (status === 200) {
      files.push({ path, text });
      return parseAnswer(address, text);
    }
    missing.push({ path, why: describeRefusal(status, text) });
    return undefined;
  };
  const { namespace, pod } = question;
  const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  const found = (await save('pod.json', `${place}/pods/${encodeURIComponent(pod)}`)) as V1Pod | undefined;
  const named = encodeURIComponent(`involvedObject.name=${pod}`);
  const events = objectsIn(
    objectAt(await save('events.json', `${place}/events?fieldSelector=${named}`))['items'],
  ) as readonly ApiEvent[];
  const node = found?.spec?.nodeName ?? findNode(events);
  if (found === undefined && events.length === 0)
    throw new UsageError(`the cluster knows no pod ${namespace}/${pod}, and has no event of it`, {
      lastSeen: missing.map(({ path, why }) => `${path}: ${why}`).join('; '),
      tryNext: `kubectl get pods -n ${shellWord(namespace)}`,
    });
  if (node === undefined) {
    missing.push({ path: 'node', why: 'the pod was never given to a node' });
    return { files, missing };
  }
  if (!NODE_NAME.test(node)) {
    missing.push({
      path: 'node',
      why: `no node is called ${JSON.stringify(node)}, as its pod or an event says`,
    });
    return { files, missing };
  }
  const about = (await save(`${node}/node.json`, `/api/v1/nodes/${encodeURIComponent(node)}`)) as
    V1Node | undefined;
  const ofNode = encodeURIComponent(`involvedObject.kind=Node,involvedObject.name=${node}`);
  await save(`${node}/events.json`, `/api/v1/events?fieldSelector=${ofNode}`);
  const read = await readNode(host, cluster, {
    ...question,
    node,
    about,
    window: { ...findUid(found, events), ...windowOf(found, host.clock.now()) },
  });
  return {
    files: [...files, ...read.files.map(({ path, text }) => ({ path: `${node}/${path}`, text }))],
    missing: [...missing, ...read.missing.map(({ path, why }) => ({ path: `${node}/${path}`, why }))],
  };
}

/**
 * What a node may be called (RFC 1123). Whoever may write events in a namespace chooses what they say of a node, and it is
 * a word for ssh.
 */
const NODE_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

interface ApiEvent {
  readonly involvedObject?: { readonly kind?: string; readonly uid?: string };
  readonly source?: { readonly host?: unknown };
}

/** The kubelet signs its events with its node. */
function findNode(events: readonly ApiEvent[]): string | undefined {
  return events.map(({ source }) => stringOf(source?.host)).find((name) => name !== undefined && name !== '');
}

function findUid(pod: V1Pod | undefined, events: readonly ApiEvent[]): { podUid?: string } {
  const ofEvents = events.find(({ involvedObject }) => involvedObject?.kind === 'Pod');
  // A mirror pod has the kubelet's own uid of it in an annotation, and cgroups are named by that.
  const uid =
    pod?.metadata?.annotations?.['kubernetes.io/config.hash'] ??
    pod?.metadata?.uid ??
    ofEvents?.involvedObject?.uid;
  return uid === undefined || !/^[\w-]+$/.test(uid) ? {} : { podUid: uid };
}

function windowOf(pod: V1Pod | undefined, nowMs: number): { since: number; until: number } {
  const now = Math.ceil(nowMs / 1000);
  const statuses = [...(pod?.status?.containerStatuses ?? []), ...(pod?.status?.initContainerStatuses ?? [])];
  const ends = statuses.flatMap(({ state, lastState }) =>
    [state?.terminated?.finishedAt, lastState?.terminated?.finishedAt].flatMap((time) => {
      // The kubelet does not know the end of a container that it has lost: the API then says null.
      const second = Math.floor(new Date(time ?? Number.NaN).getTime() / 1000);
      return second > 0 ? [second] : [];
    }),
  );
  const [first, last] = [
    ends.reduce((a, b) => Math.min(a, b), now),
    ends.reduce((a, b) => Math.max(a, b), 0),
  ];
  return { since: first - BEFORE_SECONDS, until: last === 0 ? now : last + AFTER_SECONDS };
}
