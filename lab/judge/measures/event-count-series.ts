import type { KubeEvent } from '../../model/evidence/observation.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Series } from './point.ts';

/** `SystemOOM` of the kubelet (pkg/kubelet/oom/oom_watcher_linux.go), `OOMKilling` of the node problem detector. */
const NAMES_OOM = /oom/i;

/** How many events reported an OOM, whatever they are about. */
export function readOomEvents(file: CellCase): Series {
  return countEvents(file, ({ reason }) => NAMES_OOM.test(reason));
}

/** How many warnings there were about pods in the namespace of the victim; those of the cluster itself have others. */
export function readPodWarnings(file: CellCase): Series {
  return countEvents(
    file,
    ({ type, objectKind, objectNamespace }) =>
      type === 'Warning' && objectKind === 'Pod' && objectNamespace === file.pod.namespace,
  );
}

/**
 * How many events counted, at each event that the API delivered since the cell was deployed: so no event is a number as well.
 * An event that is delivered again counts again.
 */
function countEvents(file: CellCase, counts: (event: KubeEvent) => boolean): Series {
  const deployedAt = Date.parse(file.record.deployedAt);
  let count = 0;
  const points = file.index
    .of('kube-event')
    .flatMap((event) => {
      const at = event.deliveredAt ?? event.at;
      return at === undefined || at < deployedAt ? [] : [{ at, event }];
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, event }) => {
      if (counts(event)) count += 1;
      return { at, value: count, ref: event.ref };
    });
  return { points, missingUntil: () => describeGaps(findGaps(file, ['events'])) };
}
