import type { PodSeen } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';

/**
 * Finds a version of the judged pod, up to the first one that shows the end of the container. The reason for which a
 * pod has to go is written before its containers are stopped, so that version has it. What only later versions have is
 * about a later container.
 */
export function podWith(file: GatheredCase, wanted: (pod: PodSeen) => boolean): PodSeen | undefined {
  // The kubelet leaves out the id of a container that it does not find any more.
  const isThis = (id: string): boolean => id === file.containerId || id === '' || file.containerId === '';
  const own = file.versions.filter((pod) => pod.uid === file.pod.uid);
  const endedIn = own.findIndex((pod) =>
    pod.containers.some(
      (view) =>
        view.name === file.record.victim.container &&
        ((view.state === 'terminated' && isThis(view.id)) ||
          (view.last !== undefined && isThis(view.last.id))),
    ),
  );
  return (endedIn < 0 ? own : own.slice(0, endedIn + 1)).find(wanted);
}
