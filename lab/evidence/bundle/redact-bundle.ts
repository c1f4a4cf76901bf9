import { HEAD_LINES } from '../formats/classify.ts';
import { cleanLine } from '../formats/clean-line.ts';
import type { Format, FormatName, FormatReader } from '../formats/format.ts';
import { isOomSample, podOfSample } from '../formats/kubelet-metrics.ts';
import { createSectionsReader, type TextSection } from '../formats/sections.ts';
import { createUnwrapper, findWrapWidth } from '../formats/unwrap.ts';
import { linesOf } from '../lines.ts';
import { readJournalEntry } from '../formats/journal-fields.ts';
import { createLineRedactor } from '../redact.ts';
import { REDACTED, type OnRedacted } from '../secret-patterns.ts';
import { readLayout } from './layout.ts';
import { isKeptField, LEFT_OUT, redactMessage } from './redact-journal.ts';
import { redactObjects } from './redact-objects.ts';
import { redactVerbose } from './redact-verbose.ts';
import { redactWords } from './redact-words.ts';
import type { Window } from './window.ts';

const OBJECTS: ReadonlySet<FormatName> = new Set<FormatName>([
  'API objects',
  'CRI objects',
  'docker inspect',
  'journalctl -o json',
  'klog JSON',
  'runtime JSON',
]);
/** Numbers of the kernel. */
const NUMBERS: ReadonlySet<FormatName> = new Set<FormatName>(['cgroup file', '/proc/vmstat', '/proc/stat']);

/**
 * The text of a file of somebody's bundle, without secrets and without what a death does not need. Lines of logs stay lines;
 * objects are printed again. What people wrote between is left out.
 *
 * @param path as the person knows it: it may say whose log it is.
 * @param window what others say, and what was said at other times, is left out too; not in a text of several parts.
 * @returns undefined when the text is not evidence.
 */
export function redactEvidence(
  text: string,
  path: string,
  onRedacted: OnRedacted,
  window?: Window,
): string | undefined {
  const parts = partsOf(text, path);
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  if (others.length === 0 && first.section.isWhole && first.isPlain)
    return redactAs(first.section.format, text, path, onRedacted, window);
  return parts
    .map(({ section, lines }) => redactAs(section.format, lines.join('\n'), path, onRedacted))
    .join(`\n${BETWEEN}\n`);
}

/** What keeps sections apart, as in Markdown. */
const BETWEEN = '```';

interface Part {
  readonly section: TextSection;
  readonly lines: string[];
  /** Whether its lines are as they are in the file. */
  readonly isPlain: boolean;
}

/** The sections of a text in their order, as they are read, and nothing of what is between them. */
function partsOf(text: string, path: string): readonly Part[] {
  const given = [...linesOf(text)].map((line) => ({ ...line, text: cleanLine(line.text) }));
  const head = given.slice(0, HEAD_LINES).map((line) => line.text);
  const width = findWrapWidth(head);
  const unwrapper = width === undefined ? undefined : createUnwrapper(width);
  const lines = unwrapper === undefined ? given : [...given.flatMap(unwrapper.add), ...unwrapper.end()];
  const reader = createSectionsReader(
    lines.slice(0, HEAD_LINES).map((line) => line.text),
    path,
  );
  const parts = new Map<number, Part & { last: number }>();
  for (const line of lines)
    for (const { section, text: said } of reader.line(line)) {
      if (section === undefined) continue;
      const part = parts.get(section.number) ?? {
        section,
        lines: [],
        isPlain: unwrapper === undefined,
        last: 0,
      };
      parts.set(section.number, part);
      if (said === undefined) continue;
      // Empty lines part entries of some formats.
      if (part.last > 0 && line.number > part.last + 1) part.lines.push('');
      part.last = line.number;
      part.lines.push(said);
    }
  return [...parts.values()];
}

function redactAs(
  format: Format,
  text: string,
  path: string,
  onRedacted: OnRedacted,
  window?: Window,
): string {
  const lines = text.split('\n');
  const { name } = format;
  if (NUMBERS.has(name)) return text;
  if (name === 'kubelet metrics') return redactMetrics(lines, onRedacted, window);
  if (name === '/proc/mounts')
    return lines.map((line) => (/ cgroup2? /.test(line) ? line : 'none / left rw 0 0')).join('\n');
  if (OBJECTS.has(name)) return redactKeys(redactObjects(text, path, onRedacted, window), onRedacted);
  if (name === 'journalctl -o export')
    return redactKeys(redactExport(lines, path, onRedacted, window), onRedacted);
  if (name === 'journalctl -o verbose')
    return redactKeys(redactVerbose(lines, path, onRedacted, window), onRedacted);
  if (name === 'kubectl describe') return redactKeys(redactDescribed(lines, onRedacted), onRedacted);
  if (name === 'kubectl get events' || name === 'dmesg -J')
    return redactKeys(lines.map((line) => redactWords(line, onRedacted)).join('\n'), onRedacted);
  return redactKeys(redactLog(lines, format.createReader(path), path, onRedacted, window), onRedacted);
}

/** Keys that go over several lines. */
function redactKeys(text: string, onRedacted: OnRedacted): string {
  return text.split('\n').map(createLineRedactor(onRedacted)).join('\n');
}

/** Metrics tell of every pod of a node: what is counted of the victim stays. */
function redactMetrics(lines: readonly string[], onRedacted: OnRedacted, window: Window | undefined): string {
  const keep = (line: string): string => {
    const pod = isOomSample(line) ? podOfSample(line) : undefined;
    if (line === '' || (pod !== undefined && (window?.isVictim(pod) ?? true))) return line;
    onRedacted('other-line');
    return '# left out';
  };
  return lines.map(keep).join('\n');
}

function redactLog(
  lines: readonly string[],
  reader: FormatReader,
  path: string,
  onRedacted: OnRedacted,
  window: Window | undefined,
): string {
  const { unit } = readLayout(path);
  const redact = (whole: string, index: number): string => {
    const text = whole.replace(/\r$/, '');
    if (text === '') return text;
    const entries = reader.line({ number: index + 1, text, cut: false });
    if (entries === 'unread' || (entries.length === 0 && /^\s/.test(text))) {
      onRedacted('other-line');
      return `${/^\s?/.exec(text)?.[0] ?? ''}# left out`;
    }
    const [entry] = entries;
    const said = entry?.kind === 'kernel' ? entry.text : entry?.kind === 'program' ? entry.message : '';
    if (said === '' || !text.endsWith(said)) return redactWords(text, onRedacted);
    const isAround = window?.keeps(path, index + 1, text) ?? true;
    return text.slice(0, -said.length) + redactMessage(said, entry, unit, onRedacted, isAround);
  };
  return lines.map(redact).join('\n');
}

/** Entries are apart by an empty line. */
function redactExport(
  lines: readonly string[],
  path: string,
  onRedacted: OnRedacted,
  window: Window | undefined,
): string {
  const out: string[] = [];
  let entry: string[] = [];
  const close = (): void => {
    const isAround = window?.keeps(path, out.length + 1, entry.join('\n')) ?? true;
    const fields: Record<string, string> = {};
    for (const line of entry) {
      const at = line.indexOf('=');
      if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1);
    }
    const [read] = readJournalEntry(fields, 1);
    let isKept = false;
    for (const line of entry) {
      const [, name, value] = /^([A-Z_][A-Z0-9_]*)(?:=(.*))?$/s.exec(line) ?? [];
      if (name !== undefined) isKept = isKeptField(name);
      if (!isKept) out.push('LEFT_OUT=');
      else if (name === 'MESSAGE' && value !== undefined)
        out.push(`MESSAGE=${redactMessage(value, read, undefined, onRedacted, isAround)}`);
      else out.push(name === undefined ? redactWords(line, onRedacted) : line);
    }
    entry = [];
  };
  for (const line of lines) {
    if (line !== '') entry.push(line);
    else {
      close();
      out.push('');
    }
  }
  close();
  return out.join('\n');
}

/** `kubectl describe` has a section for each of what is not needed; what is in it is deeper than its name. */
function redactDescribed(lines: readonly string[], onRedacted: OnRedacted): string {
  let hidden: { readonly indent: number; readonly areVariables: boolean } | undefined;
  const redact = (line: string): string => {
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (hidden !== undefined && line.trim() !== '' && indent <= hidden.indent) hidden = undefined;
    const [, before = '', name = '', value = ''] =
      /^( *(Command|Args|Environment|Annotations|Volumes|Message|Labels):)(.*)$/.exec(line) ?? [];
    if (hidden === undefined && name !== '' && (name !== 'Message' || indent > 2)) {
      hidden = { indent, areVariables: name === 'Environment' };
      if (value.trim() === '' || value.trim() === '<none>') return line;
      onRedacted('described');
      return `${before} ${name === 'Message' ? LEFT_OUT : REDACTED}`;
    }
    if (hidden === undefined || line.trim() === '') return redactWords(line, onRedacted);
    onRedacted('described');
    const variable = hidden.areVariables ? (/^( *[\w.-]+: +)/.exec(line)?.[1] ?? '') : '';
    return variable === '' ? `${' '.repeat(indent)}${REDACTED}` : variable + REDACTED;
  };
  return lines.map(redact).join('\n');
}
