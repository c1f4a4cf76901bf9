import type { Line } from '../lines.ts';
import { isOfInterest } from '../kernel-records.ts';
import type { Entry, KernelEntry, LocalTime, ProgramEntry, Stamp } from '../formats/entry.ts';
import { HEAD_LINES } from '../formats/classify.ts';
import { OF_USE } from './of-use.ts';
import type { LineSieve } from '../line-sieve.ts';
import { cleanLine } from '../formats/clean-line.ts';
import { createCutCounter, createUnwrapper, findWrapWidth } from '../formats/unwrap.ts';
import { createSectionsReader, type ReadSection, type Section } from '../formats/sections.ts';
import { isJournalFile } from '../../model/evidence/journal-file.ts';
import type { FormatName } from '../formats/format.ts';
import { readLayout, type PlaceInBundle } from './layout.ts';
import { isOfUse, roleOf, type Role } from './roles.ts';

/** A file to read: its lines come one after the other, and only once. */
export interface BundleFile {
  /** As the user knows it. */
  readonly path: string;
  readonly lines: Iterable<Line> | AsyncIterable<Line>;
  /** Of these lines; the reader of a large log sets it. */
  readonly sieve?: LineSieve;
}

/** An entry that says something, with what only the lines before it tell. */
export interface Kept<One extends Entry = Entry> {
  readonly entry: One;
  readonly role: Role | 'kernel' | 'other';
  /** How often the year had turned in the file. */
  readonly turns: number;
  /** How often the node had booted in the file. */
  readonly boot: number;
}

/** Records whose numbers are missing. */
interface NumberGap {
  readonly from: Kept<KernelEntry>;
  readonly to: Kept<KernelEntry>;
}

/** A line with two clocks, or with none that another file may date. */
export interface Anchor {
  readonly line: number;
  readonly turns: number;
  readonly boot: number;
  readonly local?: LocalTime | undefined;
  readonly bootMicros?: number | undefined;
  readonly wallMs: number;
  readonly cutMs: number;
}

/** What was read from a file, not yet dated. */
export interface CollectedFile {
  readonly path: string;
  readonly place: PlaceInBundle;
  readonly format: FormatName;
  readonly kept: readonly Kept[];
  /** Lines with a wall clock beside another one; only those that tell something new are kept. */
  readonly anchors: readonly Anchor[];
  /** Kernel lines by their text, where a text is there once: for the same lines of other files. */
  readonly texts: ReadonlyMap<string, Kept<KernelEntry> | undefined>;
  readonly gaps: readonly NumberGap[];
  readonly first: Kept | undefined;
  readonly last: Kept | undefined;
  /** Whether each line that has a time has its year and zone. */
  readonly isWritten: boolean;
  readonly lines: number;
  readonly unread: number;
  /** Lines that were too long, and what was cut off of them is not known. */
  readonly cut: number;
  /** Lines that a terminal cut off at its width. */
  readonly clipped: number;
  readonly kernelRecords: number;
  readonly hasFacility: boolean;
  readonly hasSequence: boolean;
  /** Name of the machine, where its lines have it. */
  readonly host: string | undefined;
}

/** So many kernel lines are remembered to find them in other files: more than the ring of a kernel holds. */
const TEXTS = 20_000;
/** Two moments of both clocks tell the same when they differ by less: lines are late by some milliseconds. */
const GRAIN_MS = 100;
/** So many anchors are remembered; a file has a few: where its zone changes. */
const ANCHORS = 500;

/** Reads a file by its content, each section and machine in it by itself; nothing when it is not evidence. */
export async function collectFile({
  path,
  lines,
  sieve,
}: BundleFile): Promise<readonly CollectedFile[] | 'journal file'> {
  const head: Line[] = [];
  const place = readLayout(path);
  let collector: Collector | undefined;
  for await (const line of lines) {
    if (head.length === 0 && isJournalFile(line.text)) return 'journal file';
    const text = cleanLine(line.text);
    const cleaned = text === line.text ? line : { ...line, text };
    if (collector !== undefined) collector.line(cleaned);
    else {
      head.push(cleaned);
      if (head.length === HEAD_LINES) collector = begin(head, path, place, sieve);
    }
    if (collector?.isHopeless() === true) return [];
    if (sieve !== undefined) sieve.pattern = collector?.isUniform() === true ? OF_USE : undefined;
  }
  return (collector ?? begin(head, path, place, sieve)).end();
}

function begin(
  head: readonly Line[],
  path: string,
  place: PlaceInBundle,
  sieve: LineSieve | undefined,
): Collector {
  const width = findWrapWidth(head.map((line) => line.text));
  const unwrapper = width === undefined ? undefined : createUnwrapper(width);
  const whole = unwrapper === undefined ? head : head.flatMap(unwrapper.add);
  const collector = createCollector(path, place, whole, sieve);
  for (const line of whole) collector.line(line);
  if (unwrapper === undefined) return collector;
  return {
    ...collector,
    isUniform: () => false,
    line: (line) => unwrapper.add(line).forEach(collector.line),
    end: () => {
      unwrapper.end().forEach(collector.line);
      return collector.end();
    },
  };
}

interface Collector {
  readonly line: (line: Line) => void;
  /** One for each machine of each section; none when nothing in the file was evidence after all. */
  readonly end: () => readonly CollectedFile[];
  readonly isHopeless: () => boolean;
  /** Whether it is a long log of one format, of which most lines are about other things. */
  readonly isUniform: () => boolean;
}

/** So many lines of one format, and nothing else: the rest of the file will be the same. */
const UNIFORM_LINES = 5_000;
/** Logs of programs. Of a kernel log each line counts: some are numbered, and others date it. */
const LOGS: ReadonlySet<FormatName> = new Set<FormatName>([
  'journalctl',
  'journalctl -o json',
  'syslog',
  'klog',
  'klog JSON',
  'logfmt',
  'runtime JSON',
]);

/** What was read of one section: each machine by itself, for some collectors put the logs of several into one file. */
interface SectionNotes {
  readonly section: Section;
  readonly machines: Map<string, ReturnType<typeof createNotes>>;
  readonly clipped: ReturnType<typeof createCutCounter>;
  lines: number;
  unread: number;
  cut: number;
}

function createCollector(
  path: string,
  place: PlaceInBundle,
  head: readonly Line[],
  sieve: LineSieve | undefined,
): Collector {
  const reader = createSectionsReader(
    head.map((line) => line.text),
    path,
  );
  const sections = new Map<number, SectionNotes>();
  const take = ({ section, entries, isUnread }: ReadSection): SectionNotes | undefined => {
    if (section === undefined) return undefined;
    const notes = sections.get(section.number) ?? {
      section,
      machines: new Map(),
      clipped: createCutCounter(),
      lines: 0,
      unread: 0,
      cut: 0,
    };
    sections.set(section.number, notes);
    if (isUnread) notes.unread += 1;
    for (const entry of entries) {
      const host = ('host' in entry ? entry.host : undefined) ?? '';
      const machine = notes.machines.get(host) ?? createNotes(place.unit);
      notes.machines.set(host, machine);
      machine.add(entry);
    }
    return notes;
  };
  let last = 0;
  return {
    line: (line) => {
      let notes: SectionNotes | undefined;
      for (const read of reader.line(line)) notes = take(read) ?? notes;
      if (notes === undefined) return;
      // Where lines were left out, they were of the same log.
      notes.lines += sieve?.pattern === undefined ? 1 : line.number - last;
      last = line.number;
      notes.clipped.add(line.text);
      if (line.isLong === true) notes.cut += 1;
    },
    end: () => {
      for (const read of reader.end()) take(read);
      return [...sections.values()].flatMap((notes) => filesOf(notes, path, place));
    },
    isHopeless: reader.isHopeless,
    isUniform: () => {
      const [only, ...others] = sections.values();
      return (
        only !== undefined &&
        others.length === 0 &&
        only.section.isWhole &&
        only.lines > UNIFORM_LINES &&
        only.unread * 20 < only.lines &&
        LOGS.has(only.section.name())
      );
    },
  };
}

/** A part of a text that is of another format counts only where it says something: a manual quotes logs too. */
function filesOf(
  { section, machines, clipped, lines, unread, cut }: SectionNotes,
  path: string,
  place: PlaceInBundle,
): CollectedFile[] {
  const format = section.name();
  return [...machines].flatMap(([host, machine]) => {
    const found = machine.end();
    if (!section.isWhole && found.kept.length === 0) return [];
    return {
      path,
      place: machines.size > 1 && host !== '' ? { ...place, node: undefined } : place,
      format,
      host: host === '' ? undefined : host,
      lines,
      unread,
      cut,
      clipped: clipped.count(),
      ...found,
    };
  });
}

/** Notes of one machine: what matters is kept, of the rest only its clocks. */
function createNotes(unit: string | undefined): {
  readonly add: (entry: Entry) => void;
  readonly end: () => Omit<CollectedFile, 'path' | 'place' | 'format' | 'host' | 'lines' | 'unread' | 'cut' | 'clipped'>;
} {
  const kept: Kept[] = [];
  const kernel = createKernelNotes();
  const anchors = createAnchors();
  const turns = createTurns();
  let boot = 0;
  let isWritten = true;
  let first: Kept | undefined;
  let last: Kept | undefined;
  let bootId: string | undefined;
  return {
    add: (entry) => {
      const id = 'bootId' in entry ? entry.bootId : undefined;
      const isOther = id !== undefined && bootId !== undefined && id !== bootId;
      if (isOther || (id === undefined && kernel.isBoot(entry))) boot += 1;
      bootId = id ?? bootId;
      const role = roleOfEntry(entry, unit);
      const one: Kept = { entry, role: role ?? 'other', turns: turns(entry), boot };
      if (entry.kind === 'program' || entry.kind === 'kernel') {
        first ??= one;
        last = one;
        anchors.add(one);
        isWritten &&= wallOfEntry(entry) !== undefined;
      }
      if (entry.kind === 'kernel') kernel.add({ ...one, entry });
      if (isKept(entry, role)) kept.push(one);
    },
    end: () => ({ ...kernel.notes(), kept, first, last, isWritten, anchors: anchors.list }),
  };
}

function roleOfEntry(entry: Entry, unit: string | undefined): Role | 'kernel' | undefined {
  if (entry.kind === 'kernel') return 'kernel';
  return entry.kind === 'program' ? roleOf(entry, unit) : undefined;
}

/** A record of another facility is not the kernel's own: a program wrote it. */
function isKept(entry: Entry, role: Role | 'kernel' | undefined): boolean {
  if (entry.kind === 'kernel')
    return (entry.facility ?? 0) === 0 && (isOfInterest(entry.text) || isFirstOfBoot(entry.text));
  if (entry.kind !== 'program') return true;
  return role !== undefined && role !== 'kernel' && isOfUse(role, entry);
}

/** init/main.c, start_kernel(). */
function isFirstOfBoot(text: string): boolean {
  return text.startsWith('Linux version ');
}

/** Notes of the kernel log: what is numbered, who wrote, and where a boot begins. */
function createKernelNotes(): {
  readonly isBoot: (entry: Entry) => boolean;
  readonly add: (one: Kept<KernelEntry>) => void;
  readonly notes: () => Pick<
    CollectedFile,
    'texts' | 'gaps' | 'kernelRecords' | 'hasFacility' | 'hasSequence'
  >;
} {
  const texts = new Map<string, Kept<KernelEntry> | undefined>();
  const gaps: NumberGap[] = [];
  let before: Kept<KernelEntry> | undefined;
  let records = 0;
  let [hasFacility, hasSequence] = [true, true];
  return {
    isBoot: (entry) => entry.kind === 'kernel' && records > 0 && isFirstOfBoot(entry.text),
    add: (one) => {
      const { entry } = one;
      records += 1;
      hasFacility &&= entry.facility !== undefined;
      hasSequence &&= entry.seq !== undefined;
      if (before?.entry.seq !== undefined && entry.seq !== undefined && before.boot === one.boot)
        if (entry.seq > before.entry.seq + 1) gaps.push({ from: before, to: one });
      before = one;
      texts.set(entry.text, texts.has(entry.text) ? undefined : one);
      if (texts.size > TEXTS) texts.delete(texts.keys().next().value ?? '');
    },
    notes: () => ({
      texts,
      gaps,
      kernelRecords: records,
      hasFacility: hasFacility && records > 0,
      hasSequence: hasSequence && records > 0,
    }),
  };
}

const DAY_MS = 86_400_000;
const MOST_OF_A_YEAR_DAYS = 300;

/** Counts how often the year turned, in a log whose times have none. */
function createTurns(): (entry: Entry) => number {
  let turns = 0;
  let before: number | undefined;
  return (entry) => {
    const local = localOf(entry);
    if (local === undefined || local.hasYear) return turns;
    const days = (local.ms - (before ?? local.ms)) / DAY_MS;
    // Lines of one moment may be a little out of order, also in the night of the new year.
    if (days < -MOST_OF_A_YEAR_DAYS) turns += 1;
    if (days > MOST_OF_A_YEAR_DAYS) turns -= 1;
    before = local.ms;
    return turns;
  };
}

/** The time of an entry by the clock without a zone: that of the log, else that of the program. */
export function localOf(entry: Entry): LocalTime | undefined {
  if (entry.kind === 'kernel') return entry.stamp.local;
  return entry.kind === 'program' ? (entry.stamp.local ?? ownLocal(entry)) : undefined;
}

function ownLocal({ stamp, own }: ProgramEntry): LocalTime | undefined {
  return stamp.wallMs === undefined ? own?.local : undefined;
}

/** The time of an entry by a clock with year and zone, and how coarse it is: that of the program may be finer than that of the log. */
export function wallOfEntry({
  stamp,
  own,
}: {
  readonly stamp: Stamp;
  readonly own?: Stamp | undefined;
}): { readonly at: number; readonly cutMs: number } | undefined {
  const ownMs = own?.local === undefined ? own?.wallMs : undefined;
  if (ownMs !== undefined && (stamp.wallMs === undefined || stamp.cutMs > 0)) return { at: ownMs, cutMs: 0 };
  return stamp.wallMs === undefined ? undefined : { at: stamp.wallMs, cutMs: stamp.cutMs };
}

/** Keeps the lines that have two clocks, where they tell something new. */
function createAnchors(): { readonly add: (one: Kept) => void; readonly list: readonly Anchor[] } {
  const list: Anchor[] = [];
  let known = '';
  return {
    list,
    add: ({ entry, turns, boot }) => {
      if (entry.kind !== 'kernel' && entry.kind !== 'program') return;
      const wallMs = wallOfEntry(entry)?.at ?? (entry.kind === 'program' ? entry.own?.wallMs : undefined);
      const local = localOf(entry);
      const { bootMicros } = entry.stamp;
      if (wallMs === undefined || (local === undefined && bootMicros === undefined)) return;
      const minutes = local === undefined ? 0 : Math.round((wallMs - local.ms) / 900_000);
      const key = `${minutes} ${bootMicros === undefined ? '' : Math.round((wallMs - bootMicros / 1000) / GRAIN_MS)} ${boot}`;
      if (key === known || list.length >= ANCHORS) return;
      known = key;
      list.push({ line: entry.line, turns, boot, local, bootMicros, wallMs, cutMs: entry.stamp.cutMs });
    },
  };
}
