import type { Line } from '../lines.ts';
import { BEGINNING, classify, type Classified } from './classify.ts';
import type { Entry } from './entry.ts';
import type { Format, FormatName, FormatReader } from './format.ts';
import { areOfContainer } from './of-containers.ts';

/**
 * A text may be several: what somebody posts has prose, fences, and what several tools printed. Each line is read by the
 * format of the section that it is in; where that cannot read it, another section begins if another format can.
 */
export interface TextSection {
  /** Counts the sections of a text from 1. */
  readonly number: number;
  /** The only format of the text, as far as its first lines tell. */
  readonly isWhole: boolean;
  readonly format: Format;
  readonly name: () => FormatName;
}

/** What a line told, and of which section it is; no section: it is of no format. */
export interface ReadSection {
  readonly section: TextSection | undefined;
  readonly entries: readonly Entry[];
  readonly isUnread: boolean;
  /** The line without what people put before it; undefined for what is left at the end of a section. */
  readonly text?: string;
}

interface OpenSection extends TextSection {
  readonly reader: FormatReader;
  readonly undress: Undress;
}

/** What shows a beginning is in so many characters. */
const LONGEST_BEGINNING = 4096;
/**
 * No program writes a longer line to a log (journald cuts at 48 KiB, a runtime at 16 KiB); documents may be one line. A longer line is
 * read only as a document: patterns that go back over megabytes exhaust their stack.
 */
const LONGEST_OF_LOG = 256 * 1024;
const isLonger = ({ text }: Line): boolean => text.length > LONGEST_OF_LOG;

/** What people put before each line of a text; undefined where a line has it not. */
type Undress = (text: string) => string | undefined;

const PLAIN: Undress = (text) => text;
const without =
  (pattern: RegExp): Undress =>
  (text) => {
    const before = pattern.exec(text.slice(0, LONGEST_BEGINNING))?.[0];
    return before === undefined || before === '' ? undefined : text.slice(before.length);
  };

/** Quotes of mails and of Markdown. An empty line may have the sign only. */
const QUOTE = without(/^(?:> ?)+/);
/** `minikube logs`. */
const STAR = without(/^\* ?(?=\S)/);
/** Bullets of chats and word processors. */
const BULLET = without(/^\s*[•·‣▪●○◦*-]\s+(?=\S)/);
/** `grep` of several files, and `grep -n`. */
const GREP = without(/^(?:(?:[\w./@-]*~)*[\w@-]*[/.][\w./@-]*:(?:\d+[:-])?|\d+[:-])(?=\S)/);
/** `cat -n` and `nl`. */
const NUMBERED = without(/^ *\d{1,6}\t(?=\S)/);
/** `talosctl logs`, and nodes of a log that several have written. */
const ADDRESS = without(/^(?:(?:\d{1,3}\.){3}\d{1,3}: |\[node\/[\w./-]+\] )/);
/** How lines of the kernel, of syslog and of the journal begin, which name their writer. */
const LOG_START = String.raw`\[ *\d+\.\d{6}\]|<\d|\d{4}-\d\d-\d\dT\S+ \S+ \S+: |[A-Z][a-z]{2} [ \d]\d \d\d:`;
/**
 * `stern`: namespace, pod and container, and a time with `-t`; `kubectl logs --prefix`. Only for pods that print logs of their node: a
 * program in a pod that writes klog is not a kubelet.
 */
const STERN = without(
  new RegExp(
    String.raw`^(?:\[pod\/[\w./-]{1,520}\] |(?:[a-z0-9][\w.-]{0,252} ){2,3})(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) )?(?=${LOG_START})`,
  ),
);
/** A time that a collector of logs put before each line, and behind it the labels of Loki. */
const STAMP = without(
  /^"?(?:\d{4}-\d\d-\d\d[T ]|\d{1,2}\/\d{1,2}\/\d{4},? )\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d| [AP]M)?"?[\t ,]+(?:\{[^{}]*\}[\t ]+(?=\S))?"?/,
);
const STAMPED: Undress = (text) => {
  const rest = STAMP(text);
  const labels =
    rest === undefined ? undefined : /\{[^{}]*\}/.exec(text.slice(0, text.length - rest.length))?.[0];
  return labels !== undefined && areOfContainer(labels) ? undefined : rest;
};
/** What a guest wrote into the log of its machine, `vmware.log`, since ESXi 7 and before. */
const VMWARE = without(
  /^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z(?:\| [^|]{1,64}\| [A-Z]\d{1,3}\+?:| [A-Z][a-z]\(\d{1,3}\)\+? \S{1,64} -) Guest: (?=\[ *\d+\.\d{6}\])/,
);
/** `journalctl -o json-sse`. */
const SERVER_SENT = without(/^data: (?=\{"[A-Z_])/);
/** Tags of web pages, code and stress of Markdown: before the first line of what is pasted, and often before no other. */
const TAGS = without(/^(?:<(?:pre|code|p|br|summary)[^>]*>|`|\*\*)+/);
/** A row of a table of Markdown. */
const TABLE: Undress = (text) => {
  const cells = /^\s*\|(.+\|.+)\|\s*$/s.exec(text)?.[1]?.split('|');
  return cells?.map((cell) => cell.trim()).join('   ');
};
/** A row of quoted values with commas, as collectors of logs export it: the longest of them is the line. */
const CSV: Undress = (text) => {
  if (!/^"(?:[^"]|"")*",/.test(text)) return undefined;
  const cells = [...text.matchAll(/"((?:[^"]|"")*)"(?:,|\s*$)/g)].map(([, cell = '']) => cell);
  const line = cells.reduce((longest, cell) => (cell.length > longest.length ? cell : longest), '');
  return cells.length < 2 || line === '' ? undefined : line.replaceAll('""', '"');
};
/** The frame of a screen, as of k9s. */
const FRAME: Undress = (text) => /^\s*[│┃](.*?)[│┃]?\s*$/s.exec(text)?.[1];
const DRESSES: readonly Undress[] = [
  PLAIN,
  QUOTE,
  STAR,
  BULLET,
  GREP,
  NUMBERED,
  ADDRESS,
  STERN,
  VMWARE,
  SERVER_SENT,
  TAGS,
  CSV,
  STAMPED,
  TABLE,
  FRAME,
];

/** Fences of Markdown, names of files as `tail` and `head` print them, and what somebody typed at a prompt. */
const BREAK =
  /^\s*(?:> ?|\* ?)*(?:`{3,}|~{3,}|={2,3}>? .*(?:<==|={2,3})\s*$|<\/?(?:details|pre)\b|(?:[[(]?[\w.-]+@[\w.-]+[^$#%>]{0,80}|[~\w./-]*)[$#%❯]\s+(?:sudo\s+)?[a-z][\w-]+(?:\s|$))/;
/** What the first characters of a line must be for any format to begin with it: most lines of other texts are none. */
const MAY_BEGIN =
  /^(?:\[|<\d|\d|_|[{]|[A-Z]|time=|oom-kill:|oom_reaper: |sending SIG|btime|cpu |nr_free|pgfault|oom_kill|(?:- )?(?:apiVersion|kind): |[\p{L}]{3,5}\.? [ \d]?\d \d|\S+ (?:\/\S* \S+|on \/)| *(?:\S+: +)?(?:kern|user|daemon): |(?:(?:\.{3}|…) ?)?[\w-]+\.go:\d+\] |[a-z][\w.-]{0,63}\[\d{1,10}\]: (?:time=|[IWEF]\d{4} ))/u;
/** How parts of an object or of a table begin, at any indentation: people paste what they think is of interest. */
const MAY_BEGIN_PART =
  /^\s*(?:"(?:lastState|state|State|status|\w*[cC]ontainerStatuses|terminated|involvedObject)" ?:|(?:- )?(?:lastState|state|status|\w*[cC]ontainerStatuses|terminated|phase|message|reason|involvedObject|firstTimestamp): ?|(?:Last )?State: |(?:Init )?Containers:$|(?:Normal|Warning)\s|(?:[a-z][\w-]*\s+)?\d+[smhd]|(?:(?:pod\/)?[a-z0-9][\w.-]*\s+){1,2}\d+\/\d+\s|LAST SEEN |<nil>|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} |[^{}[\]]*\s(?:Exited \(|Restarting \(|Exit \d|Exited\s+[a-z])|[0-9a-f]{13}\s|\[?map\[|[a-z0-9][^{}[\]]*(?:\t| {2})(?:OOMKilled|Error|Evicted|ContainerStatusUnknown)|[a-z0-9][\w.-]*\s+[●Ⓕ]|[a-z0-9][\w.-]*\s+(?:[a-z][a-z0-9-]*\s+)?Evicted\s)/;
function mayBegin(text: string): boolean {
  return MAY_BEGIN.test(text) || MAY_BEGIN_PART.test(text);
}

/** A text without any line of a format is given up after so many lines. */
const GIVE_UP_LINES = 100_000;
/** So many sections are kept apart; what follows is of the last one. */
const MOST_SECTIONS = 300;

/** Reads a text of several sections. */
export interface SectionsReader {
  readonly line: (line: Line) => readonly ReadSection[];
  readonly end: () => readonly ReadSection[];
  /** Whether nothing was found in so many lines that nothing will be. */
  readonly isHopeless: () => boolean;
}

/** @param head the first lines of the text. */
export function createSectionsReader(head: readonly string[], path: string): SectionsReader {
  let [count, last, seen] = [0, 0, 0];
  /** Of code of Markdown, which begins behind an empty line or a fence, and ends with a line that is not indented. */
  let indent = '';
  let open = openWhole(head, path);
  if (open !== undefined) count = 1;
  const close = (): ReadSection[] => {
    const entries = open?.reader.end() ?? [];
    const section = open;
    open = undefined;
    return entries.length === 0 ? [] : [{ section, entries, isUnread: false }];
  };
  const begin = (line: Line): ReadSection[] => {
    const found = isLonger(line) ? findDocument(line.text) : findBeginning(line.text, indent);
    if (found === undefined || count >= MOST_SECTIONS) return [];
    const before = close();
    count += 1;
    const { text } = found;
    const section = openSection(found, path, { number: count, isWhole: false });
    open = section;
    const entries = section.reader.line({ ...line, text });
    return [...before, { section, entries: entries === 'unread' ? [] : entries, isUnread: false, text }];
  };
  const readLonger = (line: Line): readonly ReadSection[] => {
    if (open?.format.isDocument !== true || open.undress !== PLAIN) {
      const found = begin(line);
      if (found.length > 0 || open === undefined) return found;
      return [{ section: open, entries: [], isUnread: true }];
    }
    const entries = open.reader.line(line);
    if (entries === 'unread') return [{ section: open, entries: [], isUnread: true }];
    return [{ section: open, entries, isUnread: false, text: line.text }];
  };
  return {
    line: (line) => {
      seen += 1;
      const isAfterBreak = line.number > last + 1 || seen === 1;
      last = line.number;
      if (isLonger(line)) return readLonger(line);
      const isOut = isBreak(line.text, open);
      if (isOut || (isAfterBreak && indent === '') || !/^\s/.test(line.text)) indent = indentOf(line.text);
      if (isOut) return close();
      if (open === undefined) return begin(line);
      const text = open.undress(line.text) ?? (open.undress === TAGS ? line.text : undefined);
      const isOver =
        text === undefined || (open.format.ends?.(text) === true && open.reader.goesOn?.(text) !== true);
      const entries = isOver ? 'unread' : open.reader.line(text === line.text ? line : { ...line, text });
      if (entries !== 'unread') return [{ section: open, entries, isUnread: false, text: text ?? line.text }];
      const section = open;
      const other = begin(line);
      if (other.length > 0) return other;
      return [
        ...(isOver && section.format.ends !== undefined ? close() : []),
        { section, entries: [], isUnread: true },
      ];
    },
    end: close,
    isHopeless: () => count === 0 && seen > GIVE_UP_LINES,
  };
}

/** A text of one format, as its first lines tell. One whose lines are read together must begin with its first line. */
function openWhole(head: readonly string[], path: string): OpenSection | undefined {
  const found: Classified | undefined = classify(
    head.map((text) => text.slice(0, LONGEST_OF_LOG)),
    path,
  );
  if (found === undefined) return undefined;
  const { format } = found;
  const [first = ''] = head;
  if (format.ends !== undefined && (format.ends(first) || !/^[\s{["#a-z-]/.test(first))) return undefined;
  return openSection({ format, undress: PLAIN }, path, { number: 1, isWhole: true });
}

function openSection(
  { format, undress }: Pick<Beginning, 'format' | 'undress'>,
  path: string,
  place: Pick<TextSection, 'number' | 'isWhole'>,
): OpenSection {
  const reader = format.createReader(path);
  return { ...place, format, reader, undress, name: () => reader.name?.() ?? format.name };
}

function indentOf(text: string): string {
  return /^\s*/.exec(text)?.[0] ?? '';
}

/** Within what is read together, a sign in an indented line is of a value of it. */
function isBreak(text: string, open: OpenSection | undefined): boolean {
  if (!BREAK.test(text)) return false;
  return open?.format.ends === undefined || open.format.ends(open.undress(text) ?? text);
}

interface Beginning {
  readonly format: Format;
  readonly undress: Undress;
  readonly text: string;
}

/** @param indent of the code that the line is in, if any; elsewhere an indented line goes on the one before. */
function findBeginning(line: string, indent: string): Beginning | undefined {
  const code = indent.length < 2 && indent !== '\t' ? [] : [without(new RegExp(`^${indent}`))];
  for (const undress of [...DRESSES, ...code]) {
    const text = undress(line);
    if (text === undefined || !mayBegin(text.slice(0, LONGEST_BEGINNING))) continue;
    const format = BEGINNING.find(({ begins }) => begins(text));
    if (format !== undefined) return { format, undress, text };
  }
  return undefined;
}

/** The beginning of a document in a line that is longer than any of a log. */
function findDocument(text: string): Beginning | undefined {
  const format = BEGINNING.find(
    ({ isDocument, begins }) => isDocument === true && begins(text.slice(0, LONGEST_BEGINNING)),
  );
  return format === undefined ? undefined : { format, undress: PLAIN, text };
}

/** Whether a line may be the first one of a section, or one of a log. */
export function maybeBegins(text: string): boolean {
  return findBeginning(text.slice(0, LONGEST_OF_LOG), '') !== undefined;
}
