import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import type { CgroupValues, Observation } from '../../model/evidence/observation.ts';
import type { CaseFile } from './case-file.ts';
import { BACK_MS } from '../records/tolerances.ts';

/**
 * Without one of these controllers the kubelet takes a pod's cgroup for missing, if the root has the controller:
 * `getSupportedUnifiedControllers` of pkg/kubelet/cm/cgroup_v2_manager_linux.go.
 */
const NEEDED = ['cpuset', 'cpu', 'memory', 'pids', 'hugetlb'];

/** A controller that a cgroup had, and then lacked. */
export interface LostController {
  readonly controller: string;
  /** The last reading with it. */
  readonly before: CgroupValues;
  /** The first reading without it. */
  readonly gone: CgroupValues;
}

/**
 * Finds a controller that the pod's cgroup had had and lacked when the kubelet looked: in its own `cgroup.controllers`,
 * else in `cgroup.subtree_control` of a cgroup above it, the nearest first.
 *
 * @param lookedAt when the kubelet decided, milliseconds since the epoch.
 */
export function findLostController(file: CaseFile, lookedAt: number): LostController | undefined {
  const own = findPodCgroup(file);
  if (own === undefined) return undefined;
  const places = [{ path: own, name: 'cgroup.controllers' }];
  for (let path = parentOf(own); ; path = parentOf(path)) {
    places.push({ path, name: 'cgroup.subtree_control' });
    if (path === '/') break;
  }
  for (const { path, name } of places) {
    const readings = file.index
      .of('cgroup-values')
      .filter((reading) => reading.path === path && reading.file === name && isOnNode(reading, file));
    for (const controller of NEEDED) {
      const found = findLoss(readings, controller, lookedAt);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The words of a file that holds a list. The collector splits a line of two words into key and value. */
function wordsOf(values: CgroupValues): string[] {
  return Object.entries(values.values)
    .flatMap(([key, value]) => [key, ...value.split(/\s+/)])
    .filter((word) => word !== '');
}

function findLoss(
  readings: readonly CgroupValues[],
  controller: string,
  lookedAt: number,
): LostController | undefined {
  let before: CgroupValues | undefined;
  let found: LostController | undefined;
  for (const reading of readings) {
    if (reading.at === undefined || reading.at > lookedAt) break;
    if (wordsOf(reading).includes(controller)) {
      // It came back well before the kubelet looked.
      if (found !== undefined && reading.at < lookedAt - BACK_MS) found = undefined;
      before = reading;
    } else if (before !== undefined) {
      found = {
        controller,
        before,
        gone: found !== undefined && found.before === before ? found.gone : reading,
      };
    }
  }
  return found;
}

function findPodCgroup(file: CaseFile): string | undefined {
  return file.index
    .ofAny(['cgroup-values', 'cgroup-created'])
    .find(
      (record) =>
        isOnNode(record, file) && levelOf(record.path) === 'pod' && isOfPods(record.path, file.uids),
    )?.path;
}

function isOnNode(observation: Observation, file: CaseFile): boolean {
  return file.node === undefined || observation.node === file.node;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
