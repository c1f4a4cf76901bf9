import { isJournalFile } from '../../model/evidence/journal-file.ts';
import type { LineSieve } from '../line-sieve.ts';
import type { Line } from '../lines.ts';
import { HEAD_LINES } from '../formats/classify.ts';
import { cleanLine } from '../formats/clean-line.ts';
import { unflatten } from '../formats/flattened.ts';
import type { FormatName } from '../formats/format.ts';
import { describeNoEvidence } from '../formats/no-evidence.ts';
import { createSectionsReader, type ReadSection, type TextSection } from '../formats/sections.ts';
import { createCutCounter, createUnwrapper, findWrapWidth } from '../formats/unwrap.ts';
import type { BundleFile, CollectedFile } from './collected.ts';
import { CONTAINER_OUTPUT, createOutputFinder, isOutputPath } from './container-output.ts';
import { readLayout, type PlaceInBundle } from './layout.ts';
import { createNotes } from './notes.ts';
import { OF_USE } from './of-use.ts';

/** A text that has lines of a format, of which none says anything that the judge knows. */
interface SilentFile {
  readonly silent: FormatName;
}

/** A text without a line of any format, and what it is, where that is known. */
interface OtherFile {
  readonly other: string;
}

/** So many lines may be what somebody pasted without its line breaks. */
const PASTED_LINES = 2_000;

/**
 * How memory that was saved begins, of a kernel (makedumpfile: diskdump_mod.h, makedumpfile.h) or of a process, and how a program does. It
 * has old lines of logs in it, in no order, and what users typed.
 */
const MEMORY = /^(?:KDUMP {3}|DISKDUMP|makedumpfile\0|\u007fELF)/;

/** Reads a file by its content, each section and machine in it by itself; nothing when it is not evidence. */
export async function collectFile({
  path,
  lines,
  sieve,
}: BundleFile): Promise<readonly CollectedFile[] | SilentFile | OtherFile | 'journal file'> {
  if (isOutputPath(path)) return { other: CONTAINER_OUTPUT };
  const head: Line[] = [];
  const place = readLayout(path);
  const isOutput = createOutputFinder();
  let collector: Collector | undefined;
  for await (const line of lines) {
    if (head.length === 0 && isJournalFile(line.text)) return 'journal file';
    if (head.length === 0 && MEMORY.test(line.text)) return [];
    const text = cleanLine(line.text);
    if (isOutput(text)) continue;
    // Who pastes pastes little: in a long log a line is one.
    const wholes = line.number > PASTED_LINES ? [text] : unflatten(text);
    for (const whole of wholes) {
      const cleaned = whole === line.text ? line : { ...line, text: whole };
      if (collector !== undefined) collector.line(cleaned);
      else {
        head.push(cleaned);
        if (head.length === HEAD_LINES) collector = begin(head, path, place, sieve);
      }
    }
    if (collector?.isHopeless() === true) return [];
    if (sieve !== undefined) sieve.pattern = collector?.isUniform() === true ? OF_USE : undefined;
  }
  const read = collector ?? begin(head, path, place, sieve);
  const found = read.end();
  const silent = read.format();
  if (found.length > 0) return found;
  const other = describeNoEvidence(head.map(({ text }) => text));
  if (other !== undefined) return { other };
  return silent === undefined ? found : { silent };
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
  /** The format of the first lines that were read, if any. */
  readonly format: () => FormatName | undefined;
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
  readonly section: TextSection;
  readonly machines: Map<string, ReturnType<typeof createNotes>>;
  readonly clipped: ReturnType<typeof createCutCounter>;
  lines: number;
  unread: number;
  cut: number;
}

function beginNotes(section: TextSection): SectionNotes {
  return { section, machines: new Map(), clipped: createCutCounter(), lines: 0, unread: 0, cut: 0 };
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
    const notes = sections.get(section.number) ?? beginNotes(section);
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
    format: () => [...sections.values()][0]?.section.name(),
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
