import {
  EVIDENCE_FILES,
  EVIDENCE_SOURCES,
  type EvidenceSource,
} from '../../model/evidence/evidence-files.ts';
import type { Covered, Lost, Observation } from '../../model/evidence/observation.ts';
import { isOfRuntimeLog } from '../case/runtime-silence.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { API_MS } from '../records/tolerances.ts';

/** Why a kernel log as text is not whole by itself. */
export const UNNUMBERED = 'its records have no numbers: nobody would notice a missing one';

/** Nobody knows what came before it; a kernel log begins with its boot. */
const UNDATED = 'nothing tells when it begins';

/** The life of a container, as far as it is known, in milliseconds since the epoch. */
interface Life {
  readonly node: string | undefined;
  readonly startedAt: number | undefined;
}

/**
 * Lists what the input lacks, so that no silence is taken for "it did not happen": sources that are not in it, that begin
 * after the container had started, and kernel logs whose missing records nobody would notice.
 */
export function findMissingSources(index: EvidenceIndex, { node, startedAt }: Life): Lost[] {
  return EVIDENCE_SOURCES.filter(isWanted).flatMap((source) => {
    const { perNode } = EVIDENCE_FILES[source];
    const isOwn = (observation: Observation): boolean => !perNode || observation.node === node;
    const lost = index.of('lost').filter((loss) => loss.source === source && isOwn(loss));
    if (lost.some(({ at }) => at === undefined)) return [];
    const covered = index.of('covered').filter((part) => part.source === source && isOwn(part));
    const lose = (why: string, file: string, until?: number): Lost =>
      loseSource(source, perNode ? node : undefined, why, file, until);
    const isSaid = (seen: Observation): boolean => isOwn(seen) && isOfRuntimeLog(seen);
    const hasSaid = SAID_BY[source]?.some((kind) => index.of(kind).some(isSaid)) ?? false;
    if (covered.length === 0 && !hasSaid) return [lose(`${ABSENT[source] ?? source} was given`, '')];
    return [
      ...(source === 'kmsg'
        ? covered
            .filter(({ isNumbered }) => isNumbered !== true)
            .slice(0, 1)
            .map(({ ref }) => lose(UNNUMBERED, ref.file))
        : []),
      ...(source === 'events' ? [] : beginsLate(covered, startedAt, LATE[source] ?? LATE.kmsg, lose)),
    ];
  });
}

/** A cell of the lab has no file of services that said nothing; an input of somebody else has what he took along. */
function isWanted(source: EvidenceSource): boolean {
  return source === 'system' || !EVIDENCE_FILES[source].optional;
}

/** What a person calls a source that was not given: `no kernel log was given`. */
const ABSENT: Partial<Record<EvidenceSource, string>> = {
  kmsg: 'no kernel log of its node',
  witness: 'no trace of signals',
  containerd: 'no log of its container runtime',
  kubelet: 'no log of its kubelet',
  system: 'no journal of the services of its node',
  pods: 'no object of the pod',
  events: 'no list of events',
};

/** What a source must have said to be there, where nothing tells what it covers. */
const SAID_BY: Partial<Record<EvidenceSource, readonly Observation['kind'][]>> = {
  kmsg: ['kernel-killed', 'kernel-oom-context', 'kernel-said', 'kernel-log-ended'],
  witness: ['signal-sent', 'process-exited'],
  containerd: ['runtime-start', 'runtime-created', 'sandbox-created'],
  kubelet: ['kubelet-said'],
  system: ['system-said'],
  pods: ['pod-seen'],
  events: ['kube-event'],
};

const LATE: Partial<Record<EvidenceSource, string>> & { readonly kmsg: string } = {
  kmsg: 'it begins after the container had started',
  pods: 'it shows the pod only as it was after the container had started',
};

function beginsLate(
  covered: readonly Covered[],
  startedAt: number | undefined,
  why: string,
  lose: (why: string, file: string, until?: number) => Lost,
): Lost[] {
  let first: { readonly from: number; readonly file: string } | undefined;
  for (const { from, ref } of covered)
    if (from !== undefined && from < (first?.from ?? Number.POSITIVE_INFINITY))
      first = { from, file: ref.file };
  const [undated] = covered;
  if (first === undefined)
    return undated === undefined || undated.source === 'kmsg' ? [] : [lose(UNDATED, undated.ref.file)];
  if (startedAt === undefined || first.from <= startedAt + API_MS) return [];
  return [lose(why, first.file, first.from)];
}

/** @param file the one that lacks something; empty where none of the source was given. */
function loseSource(
  source: EvidenceSource,
  node: string | undefined,
  why: string,
  file: string,
  until?: number,
): Lost {
  return {
    kind: 'lost',
    source,
    why,
    at: until === undefined ? undefined : Number.NEGATIVE_INFINITY,
    until,
    node,
    boot: `${node ?? ''} 1`,
    ref: { source, at: '', file, text: why },
  };
}
