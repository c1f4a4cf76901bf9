import { isPanic } from '../../model/evidence/boot-lines.ts';
import type { KernelSaid } from '../../model/evidence/observation.ts';
import { bootOfLife, bootsOf, findKillsOf, type LifeOnNode } from '../records/boots.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { isAtMost, isBefore, shift } from '../records/times.ts';
import { API_MS } from '../records/tolerances.ts';

/** So many are said one by one. */
const MAX_SAID = 3;
const SURE = { unknown: 'does not' } as const;

/**
 * Says in which other boots of its node the kernel panicked: that ended no container of this boot. Undefined where it did not, or where
 * nothing tells that it was another boot.
 */
export function describeOtherPanics(index: EvidenceIndex, life: LifeOnNode): string | undefined {
  const own = bootOfLife(index, life);
  const said = index.of('kernel-said').flatMap((line) => {
    if (line.node !== life.node || !isPanic(line.ref.text)) return [];
    const order = findOrder(index, line, own, life);
    return order === undefined ? [] : [describePanic(index, line, order)];
  });
  if (said.length === 0) return undefined;
  const more = said.length > MAX_SAID ? `; and ${said.length - MAX_SAID} more` : '';
  return `not in the boot of this container, so it did not end it: the kernel panicked ${said.slice(0, MAX_SAID).join('; ')}${more}`;
}

type Order = 'an earlier' | 'a later';

/** Whether a panic was in an earlier or a later boot than that of the container; undefined where it may have been in the same one. */
function findOrder(
  index: EvidenceIndex,
  line: KernelSaid,
  own: string | undefined,
  { node, containerId, startedAt, at }: LifeOnNode,
): Order | undefined {
  // No container that started after it can be of the boot that it ended.
  if (isBefore(line.at, shift(startedAt, -API_MS), SURE)) return 'an earlier';
  if (own === undefined || line.boot === own) return undefined;
  if (line.at === undefined && isAtMost(line.between?.to, startedAt, SURE)) return 'an earlier';
  if (isBefore(at, line.at, SURE) && bootsOf(index, node).length > 1) return 'a later';
  // Lines of one file are in the order of time.
  const kill = findKillsOf(index, containerId).find(({ ref }) => ref.file === line.ref.file);
  if (kill === undefined) return undefined;
  return (line.ref.line ?? 0) < (kill.ref.line ?? 0) ? 'an earlier' : 'a later';
}

function describePanic(
  index: EvidenceIndex,
  { node, boot, at, between, ref }: KernelSaid,
  order: Order,
): string {
  const start = bootsOf(index, node).find((_, number) => boot === `${node ?? ''} ${number + 1}`);
  const since = start === undefined || !Number.isFinite(start) ? '' : ` (since ${isoOf(start)})`;
  const when =
    at !== undefined
      ? `at ${isoOf(at)}`
      : between !== undefined
        ? `before ${isoOf(between.to)}`
        : 'at a time that nothing tells';
  return `in ${order} boot${since}, ${when}: ${ref.file}:${ref.line ?? 1}`;
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
