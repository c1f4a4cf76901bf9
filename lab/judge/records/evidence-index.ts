import { groupBy } from '../../model/text/group-by.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type {
  Covered,
  Lost,
  Observation,
  ProcessExited,
  ProcessSeen,
  SignalSent,
} from '../../model/evidence/observation.ts';
import { SAME_NODE_MS } from '../../model/evidence/source-clocks.ts';
import { LATE_MS, SEEN_LATE_MS } from './tolerances.ts';
import { compareTimes, isBefore } from './times.ts';
import { ofContainer } from './of-container.ts';

/** An observation of one kind; some types serve several kinds. */
type OfKind<K extends Observation['kind']> = Observation extends infer O
  ? O extends { readonly kind: infer Kinds }
    ? K extends Kinds
      ? O
      : never
    : never
  : never;

/** One process from its start to its end. A pid is not enough: the kernel uses it again. */
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
  /** All of several kinds, in the order of time, in which what is lost has no place. */
  ofAny<K extends Exclude<Observation['kind'], 'lost'>>(kinds: readonly K[]): readonly OfKind<K>[];
  /** The observation that was read from a record. */
  readFrom(ref: EvidenceRef): Observation | undefined;
  /** The files that records were read from. */
  readonly files: ReadonlySet<string>;
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
  const byRef = new Map<EvidenceRef, Observation>();
  const files = new Set<string>();
  for (const [position, observation] of all.entries()) {
    byRef.set(observation.ref, observation);
    files.add(observation.ref.file);
    const known = kinds.get(observation.kind);
    if (known === undefined)
      kinds.set(observation.kind, { observations: [observation], positions: [position] });
    else {
      known.observations.push(observation);
      known.positions.push(position);
    }
  }
  const of = <K extends Observation['kind']>(kind: K): readonly OfKind<K>[] =>
    (kinds.get(kind)?.observations ?? []) as unknown as readonly OfKind<K>[];
  const mixed = new Map<string, readonly Observation[]>();
  const ofAny = <K extends Observation['kind']>(wanted: readonly K[]): readonly OfKind<K>[] => {
    const name = wanted.join(' ');
    const found =
      mixed.get(name) ??
      wanted
        .flatMap((kind) => kinds.get(kind)?.positions ?? [])
        .sort((a, b) => a - b)
        .flatMap((position) => all[position] ?? []);
    mixed.set(name, found);
    return found as unknown as readonly OfKind<K>[];
  };
  const processes = findProcesses(of('process-seen'), of('process-exited'), of('signal-sent'));
  const byPid = groupBy(processes, (process) => `${process.boot} ${process.pid}`);
  const signals = groupBy(of('signal-sent'), (sent) => sent.boot);
  const processAt = (boot: string, pid: number, at: number | undefined): Process | undefined => {
    const found = byPid.get(`${boot} ${pid}`) ?? [];
    if (at === undefined || found.length < 2) return isBegun(found[0], at) ? found[0] : undefined;
    const alive = found.findLast(
      (process) =>
        (process.from === undefined || process.from <= at) &&
        (process.exit?.at === undefined || at <= process.exit.at + LATE_MS),
    );
    return alive ?? found.findLast((process) => isBegun(process, at));
  };
  return {
    all,
    of,
    ofAny,
    readFrom: (ref) => byRef.get(ref),
    files,
    processes,
    processAt,
    signalsIn: (boot) => signals.get(boot) ?? [],
    signalsTo: (process) =>
      (signals.get(process.boot) ?? []).filter(
        (sent) => sent.pid === process.pid && processAt(sent.boot, sent.pid, sent.at) === process,
      ),
  };
}

/** The same evidence, where something else is lost of it. */
export function withLost(index: EvidenceIndex, lost: readonly Lost[]): EvidenceIndex {
  const of = <K extends Observation['kind']>(kind: K): readonly OfKind<K>[] =>
    kind === 'lost' ? (lost as unknown as readonly OfKind<K>[]) : index.of(kind);
  const others = index.all;
  let all: readonly Observation[] | undefined;
  return {
    ...index,
    // Few ask for all of them, and it is done for each death of a long log.
    get all() {
      return (all ??= [...lost, ...others.filter(({ kind }) => kind !== 'lost')]);
    },
    of,
  };
}

/** What is known of the times that a source of a node covers, a part of it each. */
export function coverageOf(
  index: EvidenceIndex,
  source: Covered['source'],
  node: string | undefined,
): readonly Covered[] {
  return index.of('covered').filter((covered) => covered.source === source && covered.node === node);
}

/** When the witness began to look at a boot, in milliseconds since the epoch; undefined where nobody knows. */
export function witnessedFrom(index: EvidenceIndex, boot: string | undefined): number | undefined {
  return index.of('covered').find((covered) => covered.source === 'witness' && covered.boot === boot)?.from;
}

/** The pid that the runtime logged for the first process of a container, when it began or ended; undefined when it logged none. */
export function findStartedPid(index: EvidenceIndex, containerId: string): number | undefined {
  return [
    ...ofContainer(index.of('runtime-start'), containerId),
    ...ofContainer(index.of('runtime-exit'), containerId),
  ].find((event) => event.execId === undefined && event.pid !== undefined)?.pid;
}

/** The witness sees a process a moment after its start. */
function isBegun(process: Process | undefined, at: number | undefined): boolean {
  return process?.from === undefined || at === undefined || process.from <= at + SEEN_LATE_MS;
}

/** Joins records and ends of processes. After an end, or with another start time, a pid is another process. */
function findProcesses(
  seen: readonly ProcessSeen[],
  exits: readonly ProcessExited[],
  signals: readonly SignalSent[],
): Process[] {
  const exitsOf = groupBy(exits, (exit) => `${exit.boot} ${exit.pid}`);
  const childrenOf = groupBy(seen, (record) => `${record.boot} ${record.ppid}`);
  const signalsTo = groupBy(signals, (sent) => `${sent.boot} ${sent.pid}`);
  const found: Process[] = [];
  for (const [name, records] of groupBy(seen, (record) => `${record.boot} ${record.pid}`)) {
    const ofPid = {
      exits: [...(exitsOf.get(name) ?? [])],
      children: childrenOf.get(name) ?? [],
      signals: signalsTo.get(name) ?? [],
    };
    let current: ProcessSeen[] = [];
    for (const record of records) {
      const [first] = current;
      if (
        first !== undefined &&
        (isOther(first, record) || (hasEnded(ofPid.exits, first, record) && !isSame(first, record)))
      ) {
        found.push(joinRecords(first, current, ofPid, record.at));
        current = [];
      }
      current.push(record);
    }
    const [first] = current;
    if (first !== undefined) found.push(joinRecords(first, current, ofPid, undefined));
  }
  return found.sort((a, b) => compareTimes(a.from, b.from, { unknown: 'first' }));
}

/** What was seen of one pid, beside its records; ends that no process has yet. */
interface OfPid {
  readonly exits: ProcessExited[];
  readonly children: readonly ProcessSeen[];
  readonly signals: readonly SignalSent[];
}

/** The process of some records, `before` the pid was another one's. It takes its end, and the ends before that. */
function joinRecords(
  first: ProcessSeen,
  records: readonly ProcessSeen[],
  { exits, children, signals }: OfPid,
  before: number | undefined,
): Process {
  const index = exits.findIndex(
    (ended) =>
      isBetween(ended.at, first.at, before) &&
      !isOfThread(ended, first, records) &&
      !hasLaterChild(ended, before, children) &&
      !hasLaterSignal(ended, before, signals),
  );
  const exit = exits.splice(0, index + 1).at(-1);
  const latest = records.at(-1) ?? first;
  return { boot: first.boot, pid: first.pid, first, latest, from: first.at, exit };
}

function hasEnded(exits: readonly ProcessExited[], first: ProcessSeen, next: ProcessSeen): boolean {
  return exits.some((exit) => isBetween(exit.at, first.at, next.at) && exit.at !== next.at);
}

/**
 * Whether an end is only that of a thread. When another thread than the first calls exec, the first one ends, and the
 * other goes on as the process: same pid, same start (de_thread() of fs/exec.c). Programs in Go do that: their code runs on
 * any thread. What has ended gets no other name, so a later record with another name is of a process that lived on.
 */
function isOfThread(exit: ProcessExited, first: ProcessSeen, records: readonly ProcessSeen[]): boolean {
  return records.some(
    (seen) =>
      seen.at !== undefined &&
      exit.at !== undefined &&
      seen.at > exit.at &&
      seen.comm !== exit.comm &&
      isSame(first, seen),
  );
}

/** Whether a process still has a child after an end that the trace has of it: the kernel gives those of the dead away. */
function hasLaterChild(
  exit: ProcessExited,
  before: number | undefined,
  children: readonly ProcessSeen[],
): boolean {
  return children.some(
    ({ at }) =>
      at !== undefined &&
      exit.at !== undefined &&
      at > exit.at + SAME_NODE_MS &&
      isBefore(at, before, { unknown: 'counts' }),
  );
}

/**
 * Whether a signal still reached a process after an end that the trace has of it: the kernel drops those to the dead
 * (prepare_signal() of kernel/signal.c). So it was the end of its first thread, and others lived on.
 */
function hasLaterSignal(
  exit: ProcessExited,
  before: number | undefined,
  signals: readonly SignalSent[],
): boolean {
  return (
    exit.isGroup !== true &&
    signals.some(
      ({ at, comm }) =>
        at !== undefined &&
        exit.at !== undefined &&
        comm === exit.comm &&
        at > exit.at + SAME_NODE_MS &&
        isBefore(at, before, { unknown: 'counts' }),
    )
  );
}

/** The witness may see a process once more after its end in the trace. */
function isSame(first: ProcessSeen, next: ProcessSeen): boolean {
  return (
    first.start !== undefined &&
    first.start !== '' &&
    first.start === next.start &&
    first.cgroup === next.cgroup
  );
}

function isOther(first: ProcessSeen, next: ProcessSeen): boolean {
  const starts = [first.start, next.start].filter((start) => start !== undefined && start !== '');
  return starts.length === 2 && starts[0] !== starts[1];
}

/** The witness sees a process a moment after its start, so the records may have the end first. */
function isBetween(at: number | undefined, from: number | undefined, to: number | undefined): boolean {
  if (at === undefined) return true;
  return (from === undefined || at >= from - SEEN_LATE_MS) && (to === undefined || at <= to);
}
