import { groupBy } from '../../model/text/group-by.ts';
import { deriveOnce } from './derive-once.ts';

interface OfContainer {
  readonly containerId?: string | undefined;
}

const byContainer = deriveOnce((records: readonly OfContainer[]) =>
  groupBy(records, ({ containerId = '' }) => containerId),
);

/** The records of one container, in their order. */
export function ofContainer<Found extends OfContainer>(
  records: readonly Found[],
  containerId: string,
): readonly Found[] {
  return (byContainer(records).get(containerId) ?? []) as unknown as readonly Found[];
}
