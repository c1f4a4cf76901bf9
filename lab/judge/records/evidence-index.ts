import { groupBy } from '../../model/text/group-by.ts';
import type {
  Covered,
  Observation,
  ProcessExited,
  ProcessSeen,
  SignalSent,
} from '../../model/evidence/observation.ts';
import { LATE_MS, SAME_NODE_MS, SEEN_LATE_MS } from './tolerances.ts';

/** An observation of one kind; some types serve several kinds. */
type OfKind<K extends Observation['kind']> = Observation extends infer O
  ? O extends { readonly kind: infer Kinds }
    ? K extends Kinds
      ? O
      : never
    : never
  : never;

/** One process from its start to its end. A pid alone is not enough: the kernel uses it again. */
export interface Process {
  readonly boot: string;
  readonly pid: number;
  /** Its first record, and its newest: after exec it has its final name. */
  readonly first: ProcessSeen;
  readonly latest: ProcessSeen;
  /** Milliseconds since the epoch; undefined when the record has no time. */
  readonly from: number | undefined;
  readonly exit: ProcessExited | undefined;
}

/** The observations of one cell, by kind, by process and by boot. */
export interface EvidenceIndex {
  readonly all: readonly Observation[];
  /** All of one kind, in the order of time. */
  of<K extends Observation['kind']>(kind: K): readonly OfKind<K>[];
  /** All of several kinds, in the order of time. */
  ofAny<K extends Observation['kind']>(kinds: readonly K[]): readonly OfKind<K>[];
  readonly processes: readonly Process[];
  /** The process that had a pid at a time. */
  processAt(boot: string, pid: number, at: number | undefined): Process | undefined;
  /** All signals to a process, oldest first. */
  signalsTo(process: Process): readonly SignalSent[];
  /** All signals of one boot. */
  signalsIn(boot: string): readonly SignalSent[];
}

/** @param all sorted by time. */
export function indexEvidence(all: readonly Observation[]): EvidenceIndex {
  const kinds = new Map<
    Observation['kind'],
    { readonly observations: Observation[]; readonly positions: number[] }
  >();
  for (const [position, each] of all.entries()) {
    const known = kinds.get(each.kind);
    if (known === undefined) kinds.set(each.kind, { observations: [each], positions: [position] });
    else {
      known.observations.push(each);
      known.positions.push(position);
    }
  }
  const of = <K extends Observation['kind']>(kind: K): readonly OfKind<K>[] =>
    (kinds.get(kind)?.observations ?? []) as unknown as readonly OfKind<K>[];
  const ofAny = <K extends Observation['kind']>(wanted: readonly K[]): readonly OfKind<K>[] =>
    wanted
      .flatMap((kind) => kinds.get(kind)?.positions ?? [])
      .sort((a, b) => a - b)
      .map((position) => all[position]) as unknown as readonly OfKind<K>[];
  const processes = findProcesses(of('process-seen'), of('process-exited'));
  const byPid = groupBy(processes, (each) => `${each.boot} ${each.pid}`);
  const signals = groupBy(of('signal-sent'), (each) => each.boot);
  const processAt = (boot: string, pid: number, at: number | undefined): Process | undefined => {
    const found = byPid.get(`${boot} ${pid}`) ?? [];
    if (at === undefined || found.length < 2) return isBegun(found[0], at) ? found[0] : undefined;
    const alive = found.findLast(
      (each) =>
        (each.from === undefined || each.from <= at) &&
        (each.exit?.at === undefined || at <= each.exit.at + LATE_MS),
    );
    return alive ?? found.findLast((each) => isBegun(each, at));
  };
  return {
    all,
    of,
    ofAny,
    processes,
    processAt,
    signalsIn: (boot) => signals.get(boot) ?? [],
    signalsTo: (process) =>
      (signals.get(process.boot) ?? []).filter(
        (each) => each.pid === process.pid && processAt(each.boot, each.pid, each.at) === process,
      ),
  };
}

/** What is known of the times that a source of a node covers, a part of it each. */
export function coverageOf(
  index: EvidenceIndex,
  source: Covered['source'],
  node: string | undefined,
): readonly Covered[] {
  return index.of('covered').filter((each) => each.source === source && each.node === node);
}

/** When the witness began to look at a boot, in milliseconds since the epoch; undefined where nobody knows. */
export function witnessedFrom(index: EvidenceIndex, boot: string | undefined): number | undefined {
  return index.of('covered').find((each) => each.source === 'witness' && each.boot === boot)?.from;
}

/** The pid that the runtime logged for the first process of a container; undefined when it logged none. */
export function findStartedPid(index: EvidenceIndex, containerId: string): number | undefined {
  return index
    .of('runtime-start')
    .find((each) => each.containerId === containerId && each.execId === undefined && each.pid !== undefined)
    ?.pid;
}

/** The witness sees a process a moment after its start. */
function isBegun(process: Process | undefined, at: number | undefined): boolean {
  return process?.from === undefined || at === undefined || process.from <= at + SEEN_LATE_MS;
}

/** Joins records and ends of processes. After an end, or with another start time, a pid is another process. */
function findProcesses(seen: readonly ProcessSeen[], exits: readonly ProcessExited[]): Process[] {
  const exitsOf = groupBy(exits, (each) => `${each.boot} ${each.pid}`);
  const childrenOf = groupBy(seen, (each) => `${each.boot} ${each.ppid}`);
  const found: Process[] = [];
  for (const [name, records] of groupBy(seen, (each) => `${each.boot} ${each.pid}`)) {
    const left = [...(exitsOf.get(name) ?? [])];
    let current: ProcessSeen[] = [];
    const close = (before: number | undefined): void => {
      const [first] = current;
      if (first === undefined) return;
      const index = left.findIndex(
        (each) =>
          isBetween(each.at, first.at, before) &&
          !isOfThread(each, first, current) &&
          !hasLaterChild(each, before, childrenOf.get(name) ?? []),
      );
      const exit = index < 0 ? undefined : left[index];
      if (index >= 0) left.splice(0, index + 1);
      const latest = current.at(-1) ?? first;
      found.push({ boot: first.boot, pid: first.pid, first, latest, from: first.at, exit });
      current = [];
    };
    for (const each of records) {
      const [first] = current;
      if (
        first !== undefined &&
        (isOther(first, each) || (hasEnded(left, first, each) && !isSame(first, each)))
      )
        close(each.at);
      current.push(each);
    }
    close(undefined);
  }
  return found.sort((a, b) => (a.from ?? -Infinity) - (b.from ?? -Infinity));
}

function hasEnded(exits: readonly ProcessExited[], first: ProcessSeen, next: ProcessSeen): boolean {
  return exits.some((exit) => isBetween(exit.at, first.at, next.at) && exit.at !== next.at);
}

/**
 * Whether an end is that of a thread alone. When another thread than the first calls exec, the first one ends, and the
 * other goes on as the process: same pid, same start (de_thread() of fs/exec.c). Programs in Go do that: their code runs on
 * any thread. What has ended gets no other name, so a later record with another name is of a process that lived on.
 */
function isOfThread(exit: ProcessExited, first: ProcessSeen, records: readonly ProcessSeen[]): boolean {
  return records.some(
    (each) =>
      each.at !== undefined &&
      exit.at !== undefined &&
      each.at > exit.at &&
      each.comm !== exit.comm &&
      isSame(first, each),
  );
}

/** Whether a process still has a child after an end that the trace told of it: the kernel gives those of the dead away. */
function hasLaterChild(
  exit: ProcessExited,
  before: number | undefined,
  children: readonly ProcessSeen[],
): boolean {
  return children.some(
    ({ at }) =>
      at !== undefined && exit.at !== undefined && at > exit.at + SAME_NODE_MS && at < (before ?? Infinity),
  );
}

/** The witness may see a process once more after the trace told its end. */
function isSame(first: ProcessSeen, next: ProcessSeen): boolean {
  return (
    first.start !== undefined &&
    first.start !== '' &&
    first.start === next.start &&
    first.cgroup === next.cgroup
  );
}

function isOther(first: ProcessSeen, next: ProcessSeen): boolean {
  const starts = [first.start, next.start].filter((each) => each !== undefined && each !== '');
  return starts.length === 2 && starts[0] !== starts[1];
}

/** The witness sees a process a moment after its start, so the records may have the end first. */
function isBetween(at: number | undefined, from: number | undefined, to: number | undefined): boolean {
  if (at === undefined) return true;
  return (from === undefined || at >= from - SEEN_LATE_MS) && (to === undefined || at <= to);
}
