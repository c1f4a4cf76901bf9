import type { EvidenceSource, Observation } from '../../model/evidence/observation.ts';
import { readContainerdEntries } from '../containerd.ts';
import { readContainerStatus } from '../cri.ts';
import { eventOf } from '../events.ts';
import type { JournalEntry } from '../journal.ts';
import type { KernelRecord } from '../kernel-record.ts';
import { readKernelRecords } from '../kernel-records.ts';
import { readKubeletEntry } from '../kubelet.ts';
import { baseOf, lostOf, type FilePlace } from '../lines.ts';
import { leaseOf, nodeOf } from '../nodes.ts';
import { podOf } from '../pods.ts';
import { readSystemEntry } from '../system.ts';
import { parseTasks } from '../tasks.ts';
import { LOCAL_EVENTS } from '../formats/counters.ts';
import type {
  CounterEntry,
  KernelEntry,
  ObjectEntry,
  OomCountEntry,
  ProgramEntry,
  RuntimeEntry,
} from '../formats/entry.ts';
import type { DatedLine, FileClock } from './clock.ts';
import { lastBootOf, type CollectedFile, type Kept } from './collected.ts';
import { readCrioEntries } from './crio.ts';
import { readDockerEvents } from './docker-events.ts';

/**
 * The place of an entry, which knows its node, and the boot that it was written in.
 *
 * @param boot its number in the file.
 */
export type PlaceOf = (boot: number, dated: DatedLine) => FilePlace;

/** When a line was written, and in which boot of its file. */
interface PlacedLine {
  readonly boot: number;
  readonly dated: DatedLine;
}

interface Lines {
  readonly kernel: KernelRecord[];
  readonly programs: Record<'kubelet' | 'containerd' | 'system' | 'tasks', JournalEntry[]>;
  readonly placedByLine: Map<number, PlacedLine>;
}

/** Says what a file says, in the observations that the evidence of a cell gives. */
export function observe(file: CollectedFile, clock: FileClock, placeOf: PlaceOf): Observation[] {
  const lines: Lines = {
    kernel: [],
    programs: { kubelet: [], containerd: [], system: [], tasks: [] },
    placedByLine: new Map(),
  };
  const found: Observation[] = [];
  const undated: DatedLine = { at: undefined, cutMs: 0 };
  for (const one of file.kept) {
    const { entry } = one;
    const place = placeOf(one.boot, undated);
    if (entry.kind === 'kernel') addKernel(lines, one, entry, clock);
    else if (entry.kind === 'program') addProgram(lines, one, entry, clock);
    else if (entry.kind === 'object') add(found, observeObject(entry, place));
    else if (entry.kind === 'runtime') add(found, observeRuntime(entry, place));
    else if (entry.kind === 'oom-count') add(found, observeOomCount(entry, place));
    else if (entry.kind === 'counter' && entry.values[LOCAL_EVENTS] === undefined)
      add(found, observeCounter(entry, place));
  }
  const where = placeOf(lastBootOf(file), undated);
  add(found, readKernelRecords(lines.kernel, where));
  const { kubelet, containerd, system, tasks } = lines.programs;
  for (const line of kubelet) add(found, readKubeletEntry(line, where) ?? []);
  add(found, readContainerdEntries(containerd, where));
  add(found, readCrioEntries(containerd, where));
  add(found, readDockerEvents(containerd, where));
  for (const line of system) add(found, readSystemEntry(line, where) ?? []);
  for (const { message, line } of tasks)
    for (const event of parseTasks(message, file.path))
      add(found, { ...event, ...where, ref: { ...event.ref, line } });
  add(found, observeGaps(file, clock, where));
  for (const observation of found) place(observation, lines.placedByLine, placeOf);
  return found;
}

function add(found: Observation[], more: Observation | readonly Observation[]): void {
  if (!Array.isArray(more)) found.push(more as Observation);
  else for (const one of more as readonly Observation[]) found.push(one);
}

type Writable = { -readonly [Name in keyof Observation]: Observation[Name] };

/** Adds to an observation what the clock of its file says of its line: others may already point to it, so it stays the same. */
function place(observation: Observation, lines: ReadonlyMap<number, PlacedLine>, placeOf: PlaceOf): void {
  const { line } = observation.ref;
  const placed = line === undefined ? undefined : lines.get(line);
  if (placed === undefined) return;
  const { boot, dated } = placed;
  const own: Writable = observation;
  own.boot = placeOf(boot, dated).boot;
  if (dated.between !== undefined) own.between = dated.between;
  if (dated.cutMs > 0) own.cutMs = dated.cutMs;
}

function addKernel(lines: Lines, one: Kept, entry: KernelEntry, clock: FileClock): void {
  const dated = clock.date(one);
  const { stamp, text, line } = entry;
  const micros = stamp.bootMicros ?? (stamp.wallMs ?? stamp.local?.ms ?? 0) * 1000;
  lines.placedByLine.set(line, { boot: one.boot, dated });
  lines.kernel.push({ seq: entry.seq ?? line, at: dated.at, line, micros, text });
}

function addProgram(lines: Lines, one: Kept, { by, message, line }: ProgramEntry, clock: FileClock): void {
  const { role } = one;
  if (role === 'kernel' || role === 'other') return;
  const dated = clock.date(one);
  lines.placedByLine.set(line, { boot: one.boot, dated });
  lines.programs[role].push({ at: dated.at, message, by, line });
}

function observeObject(entry: ObjectEntry, where: FilePlace): Observation | readonly Observation[] {
  if (entry.what === 'pod') return podOf(entry, where);
  if (entry.what === 'event') return entry.type === 'DELETED' ? [] : eventOf(entry, where);
  if (entry.what === 'node') return nodeOf(entry, where) ?? [];
  return leaseOf(entry, where) ?? [];
}

/** What the runtime says: the container or sandbox as it was made, and how it ended. */
function observeRuntime(entry: RuntimeEntry, where: FilePlace): readonly Observation[] {
  const { containerId, podUid, container, sandboxId, attempt, pod, namespace, line } = entry;
  const text = `${namespace}/${pod} ${container === '' ? 'sandbox' : `container ${container}`} ${containerId}`;
  const base = baseOf('cri', entry.startedAt, where, line, text);
  if (container === '')
    return podUid === ''
      ? []
      : [{ kind: 'sandbox-created', ...base, podUid, sandboxId: containerId, pod, namespace }];
  const record = readContainerStatus(entry.status, where, line);
  const made: Observation = {
    kind: 'runtime-created',
    ...base,
    podUid,
    container,
    containerId,
    sandboxId,
    attempt,
    pod: pod || undefined,
    namespace: namespace || undefined,
  };
  return record === undefined ? [made] : [made, record];
}

function observeCounter({ cgroup, file, values, line }: CounterEntry, where: FilePlace): Observation {
  const text = `${file}: ${Object.entries(values)
    .map(([name, value]) => `${name} ${value}`.trim())
    .join(', ')}`;
  const base = baseOf(cgroup === undefined ? 'vmstat' : 'cgroup', undefined, where, line, text);
  if (cgroup !== undefined) return { kind: 'cgroup-values', ...base, path: cgroup, file, values };
  const oomKills = values['oom_kill'] === undefined ? undefined : Number(values['oom_kill']);
  return {
    kind: 'node-beat',
    ...base,
    oomKills,
    memoryFullMicros: undefined,
    stealMs: undefined,
    cpus: undefined,
  };
}

function observeOomCount(entry: OomCountEntry, where: FilePlace): Observation {
  const { line, cgroup, namespace, pod, container, count } = entry;
  const text = `OOM events ${count} in ${cgroup}`;
  const base = baseOf('metrics', undefined, where, line, text);
  return { kind: 'oom-counted', ...base, path: cgroup, namespace, pod, container, count };
}

/** Whether the mount options of a node say that `memory.events` counts its own cgroup only. */
export function hasLocalEvents(files: readonly CollectedFile[]): boolean {
  return files.some(({ kept }) =>
    kept.some(({ entry }) => entry.kind === 'counter' && entry.values[LOCAL_EVENTS] === '1'),
  );
}

/** Says so, for somebody who wonders why a counter does not count. */
export function describeLocalEvents(node: string | undefined): string {
  return `the files memory.events of ${node ?? 'the node'} count only their own cgroup, because it is mounted with memory_localevents`;
}

/** Says the same of the counters of cgroups. */
export function markLocal(observations: readonly Observation[]): Observation[] {
  return observations.map((seen) =>
    seen.kind === 'cgroup-values' && seen.file === 'memory.events' ? { ...seen, isLocal: true } : seen,
  );
}

/** Records that the kernel numbered and the file lacks. */
function observeGaps({ gaps }: CollectedFile, clock: FileClock, where: FilePlace): Observation[] {
  return gaps.flatMap(({ from, to }) => {
    const why = `kmsg records ${(from.entry.seq ?? 0) + 1} to ${(to.entry.seq ?? 0) - 1} are missing`;
    const [begun, ended] = [clock.date(from).at, clock.date(to).at];
    return [
      { ...lostOf('kmsg', why, where, begun, from.entry.line), until: ended },
      lostOf('kmsg', why, where, ended, to.entry.line),
    ];
  });
}

/** The sources whose words a file has. */
export function sourcesIn(file: CollectedFile): readonly EvidenceSource[] {
  const found = new Set<EvidenceSource>();
  if (file.kernelRecords > 0) found.add('kmsg');
  for (const { entry, role } of file.kept) {
    if (entry.kind === 'program' && role !== 'kernel' && role !== 'other') found.add(role);
    if (entry.kind === 'object') found.add(OF_OBJECT[entry.what]);
    if (entry.kind === 'runtime') found.add('cri');
  }
  return [...found];
}

const OF_OBJECT = { pod: 'pods', event: 'events', node: 'nodes', lease: 'leases' } as const;
