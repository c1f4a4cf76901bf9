import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { OomCounted } from '../../model/evidence/observation.ts';
import { plural } from '../../model/text/plural.ts';
import type { CaseFile } from '../case/case-file.ts';

/**
 * What the metrics of the kubelet count about a pod; undefined where they have nothing of it. It proves nothing of an end: the count
 * of a container is gone with its cgroup, and that of the pod does not say which of its processes died.
 */
export function describeCountedOoms(file: CaseFile): string | undefined {
  const own = file.index.of('oom-counted').filter((counted) => isOfVictim(file, counted));
  const parts = own.map((counted) => `${plural(counted.count, 'OOM event')} ${placeOf(file, counted)}`);
  return parts.length === 0 ? undefined : `its metrics count ${[...new Set(parts)].join(', ')}`;
}

/** A pod of the same name may have come after it: where the path has a uid, that counts. */
function isOfVictim({ uids, pod }: CaseFile, { path, namespace, pod: name }: OomCounted): boolean {
  const { podUid } = parseCgroupPath(path);
  if (podUid !== undefined) return uids.includes(podUid);
  return namespace === pod.namespace && name === pod.name;
}

function placeOf({ containerId }: CaseFile, { path, container }: OomCounted): string {
  const id = parseCgroupPath(path).containerId;
  if (id === undefined) return 'for the limit of the pod';
  if (id === containerId) return 'for the limit of this container';
  const name = container === '' ? '' : `${container} `;
  return `for that of ${name}${id.slice(0, 12)}, another container`;
}
