import type { Observation } from '../../model/evidence/observation.ts';
import type { GatheredCase } from './case-file.ts';
import { coverageOf } from '../records/evidence-index.ts';
import { CLOCKS_MS } from '../../model/evidence/source-clocks.ts';
import { ofContainer } from '../records/of-container.ts';

/** Whether a record is of the runtime's log: what it answers when it is asked about a container says nothing of others. */
export function isOfRuntimeLog({ ref }: Observation): boolean {
  return ref.source !== 'cri';
}

/** The log of the runtime must have told of this container, or been heard before its start and after its end. */
export function findSilentRuntime(file: GatheredCase): string[] {
  const { index, containerId, node } = file;
  const heard = ofContainer(index.of('runtime-created'), containerId).some(
    (created) => created.node === node && isOfRuntimeLog(created),
  );
  const started = ofContainer(index.of('runtime-start'), containerId).length > 0;
  return heard || started || isSpanned(file)
    ? []
    : ['the runtime said nothing about this container: its log may be filtered or lost'];
}

/** The journal has entries from before the container began and from after it ended. */
function isSpanned(file: GatheredCase): boolean {
  const { endedAt } = file;
  return coverageOf(file.index, 'containerd', file.node).some(
    ({ from, to }) =>
      from !== undefined &&
      to !== undefined &&
      endedAt !== undefined &&
      from <= file.from + CLOCKS_MS &&
      to >= endedAt - CLOCKS_MS,
  );
}
