import { isOfPods, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { ClusterFacts } from '../case/question.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import type { KnownPod } from './known-containers.ts';

/** What the evidence itself says of the cluster. What no record shows is undefined. */
export interface ObservedFacts extends ClusterFacts {
  readonly handler: 'runc' | 'runsc' | undefined;
  readonly cgroup: 'v1' | 'v2' | undefined;
  /** The kubelet's driver, by the cgroup of all pods. */
  readonly driver: 'systemd' | 'cgroupfs' | undefined;
}

/** The shims of runc and crun name themselves so in containerd's log (`runtime=io.containerd.runc.v2`). */
const RUNC = /\bio\.containerd\.runc\.v[12]\b/;

/** Reads the facts of a pod's cluster from the evidence: processes, paths and files of cgroups, lines of the runtime. */
export function readFacts(index: EvidenceIndex, pod: KnownPod): ObservedFacts {
  const handler = readHandler(index, pod);
  const paths = [
    ...index.of('kernel-oom-context').flatMap(({ taskMemcg, oomMemcg }) => [taskMemcg ?? '', oomMemcg ?? '']),
    ...index.of('cgroup-values').map(({ path }) => path),
    ...index.of('process-seen').map(({ cgroup }) => cgroup),
  ].filter((path) => parseCgroupPath(path).level !== undefined);
  return {
    sandboxed: handler === 'runsc',
    release: readRelease(index, pod),
    handler,
    cgroup: readCgroup(index),
    driver: paths.some((path) => path.includes('kubepods.slice'))
      ? 'systemd'
      : paths.some((path) => /(?:^|\/)kubepods(?:\/|$)/.test(path))
        ? 'cgroupfs'
        : undefined,
  };
}

function readHandler(index: EvidenceIndex, { uids }: KnownPod): ObservedFacts['handler'] {
  const ids = new Set([
    ...index
      .of('sandbox-created')
      .filter(({ podUid }) => uids.includes(podUid))
      .map(({ sandboxId }) => sandboxId),
    ...index
      .of('runtime-created')
      .filter(({ podUid }) => uids.includes(podUid))
      .flatMap(({ containerId, sandboxId }) => [containerId, sandboxId ?? containerId]),
    ...index
      .of('pod-seen')
      .filter(({ uid }) => uids.includes(uid))
      .flatMap(({ containers }) => containers.map(({ id }) => id)),
  ]);
  const isSandbox = index
    .of('process-seen')
    .some(({ cgroup, args }) => /^(?:\S*\/)?runsc-sandbox /.test(args ?? '') && isOfPods(cgroup, uids));
  if (isSandbox || index.of('runtime-handler').some(({ containerId }) => ids.has(containerId)))
    return 'runsc';
  return index
    .ofAny(['runtime-start', 'runtime-gone'])
    .some(({ containerId, ref }) => ids.has(containerId) && RUNC.test(ref.text))
    ? 'runc'
    : undefined;
}

function readCgroup(index: EvidenceIndex): ObservedFacts['cgroup'] {
  const files = new Set(index.of('cgroup-values').map(({ file }) => file));
  if (files.has('memory.events') || files.has('memory.events.local')) return 'v2';
  return files.has('memory.oom_control') ? 'v1' : undefined;
}

/** `1.34`, of the kubelet on the pod's node as its Node object says; else the oldest that writes such a pod. */
function readRelease(index: EvidenceIndex, pod: KnownPod): string | undefined {
  const node = index.of('node-seen').findLast(({ name }) => name === pod.node);
  const said = /^v?(\d+\.\d+)/.exec(node?.kubeletVersion ?? '')?.[1];
  return said ?? index.of('pod-seen').findLast(({ uid }) => pod.uids.includes(uid))?.sinceRelease;
}
