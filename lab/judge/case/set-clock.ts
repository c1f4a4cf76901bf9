import type { GatheredCase } from './case-file.ts';
import { API_MS } from '../records/tolerances.ts';
import { CLOCKS_MS } from '../../model/evidence/source-clocks.ts';
import { earliest, isBefore, shift } from '../records/times.ts';
import { ofContainer } from '../records/of-container.ts';

/** Why what a source of the node's wall clock does not say proves nothing: its clock was set. */
export function findSetClock(file: Pick<GatheredCase, 'isClockSet'>): string[] {
  if (!file.isClockSet) return [];
  return ['records about the container are dated before it was made: the clock of the node was set'];
}

/** What is known of a container once its records are found. */
type Known = Pick<GatheredCase, 'index' | 'kubeletLines' | 'containerId' | 'node' | 'end' | 'view'>;

/**
 * Whether a record of the node names this container and is dated before the container was made. Nobody knows its id by then, so
 * the clock of the node was set in between, and what its journals say has no order.
 */
export function isClockSet({ index, kubeletLines, containerId, node, end, view }: Known): boolean {
  if (containerId === '') return false;
  const isOwn = (record: { node: string | undefined }): boolean => record.node === node;
  const madeAt = ofContainer(index.of('runtime-created'), containerId).find(isOwn)?.at;
  // The API cuts the start to a second.
  const startedAt = shift(end?.startedAt ?? view?.startedAt, -API_MS);
  const acts = [
    ...ofContainer(index.of('runtime-stop'), containerId),
    ...ofContainer(index.of('runtime-gone'), containerId),
    ...ofContainer(index.of('runtime-exit'), containerId),
    ...kubeletLines.filter((line) => line.about !== undefined && line.containerId === containerId),
  ].filter(isOwn);
  const limit = shift(madeAt ?? startedAt, -CLOCKS_MS);
  return isBefore(earliest(acts.map(({ at }) => at)), limit, { unknown: 'does not' });
}
