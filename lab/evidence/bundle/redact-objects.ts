import { parseAllDocuments, stringify } from 'yaml';
import { isObject, tryParseJson } from '../../model/files/parse-json.ts';
import { isJournalEntry } from '../formats/journal-fields.ts';
import { REDACTED, type OnRedacted } from '../secret-patterns.ts';
import { LEFT_OUT, redactJournal } from './redact-journal.ts';
import { redactWords } from './redact-words.ts';
import type { Window } from './window.ts';

/**
 * Objects of the API and of runtimes without what a death does not need: values of the environment, arguments, annotations,
 * volumes, what a container said at its end, and every object that is not evidence, such as Secrets in the same list.
 */

type Fields = Record<string, unknown>;

const VARIABLES = new Set(['env', 'envs', 'Env', 'httpHeaders']);
/** The first word of these is the program. */
const PROGRAMS = new Set(['command', 'Cmd', 'Entrypoint']);
const WORDS = new Set(['args', 'Args', 'Test', ...PROGRAMS]);
/** Objects whose values may be anything. */
const OPTIONS = new Set([
  'annotations',
  'Labels',
  'data',
  'stringData',
  'binaryData',
  'options',
  'Options',
  'volumeAttributes',
  'DriverOpts',
  'LogConfig',
  'sysctls',
]);
/** Labels and annotations that records are joined by, and which only Kubernetes writes. */
const JOINS =
  /^(?:io\.kubernetes\.(?:container|pod|sandbox|cri)|kubernetes\.io\/config\.(?:hash|mirror|source|seen)$)/;
/** Texts that a container wrote. */
const OUTPUTS = new Set(['Output', 'output']);
/** Of these ends the message is of the runtime, and not of the container. */
const NEVER_RAN = /^(?:StartError|ContainerCannotRun|RunContainerError|ContainerStatusUnknown)$/;
const EVIDENCE = /^(?:Pod|Event|Node|Lease)$/;
/** When, how loud and where, in klog and logrus. */
const ENTRY_FIELDS = new Set(['ts', 'time', 'level', 'v', 'caller', 'logger']);
/** A larger file of YAML is read by its lines. */
const MAX_YAML = 16 * 1024 * 1024;

/**
 * The text of a file of objects, whatever its layout. A part that cannot be parsed is read by its lines.
 *
 * @param window of entries of a log, one a line, what is not around a death is left out.
 */
export function redactObjects(
  text: string,
  path: string,
  onRedacted: OnRedacted,
  window: Window | undefined,
): string {
  const clean = (value: unknown, line?: number): unknown => {
    const isAround = line === undefined || (window?.keeps(path, line, JSON.stringify(value)) ?? true);
    if (isObject(value) && isJournalEntry(value)) return redactJournal(value, onRedacted, isAround);
    if (!isAround && isLogEntry(value)) return cleanOther(value, onRedacted);
    return cleanValue(window === undefined ? value : leaveOthers(value, window, onRedacted), '', onRedacted);
  };
  const loose = (line: string): string => redactLooseLine(line, onRedacted);
  if (/^\s*[{[]/.test(text)) {
    const whole = tryParseJson(text);
    if (whole !== undefined) return `${printJson(clean(whole), /\n./.test(text.trim()))}\n`;
    return redactParts(text.split('\n'), clean, loose).join('\n');
  }
  const documents = text.length > MAX_YAML ? [] : parseAllDocuments(text, { logLevel: 'silent' });
  if ('empty' in documents || documents.length === 0 || documents.some(({ errors }) => errors.length > 0))
    return text.split('\n').map(loose).join('\n');
  try {
    return documents
      .map((document) =>
        stringify(clean(document.toJS({ maxAliasCount: 20 })), {
          lineWidth: 0,
          aliasDuplicateObjects: false,
        }),
      )
      .join('---\n');
  } catch {
    // More aliases than any tool writes.
    return text.split('\n').map(loose).join('\n');
  }
}

/** Several objects: one a line, or each until a bracket in the first column. */
function redactParts(
  lines: readonly string[],
  clean: (value: unknown, line?: number) => unknown,
  loose: (line: string) => string,
): string[] {
  const out: string[] = [];
  let read = 0;
  let part: string[] = [];
  const close = (): void => {
    const value = part.length === 0 ? undefined : tryParseJson(part.join('\n'));
    if (value === undefined) for (const line of part) out.push(loose(line));
    else
      for (const line of printJson(clean(value, part.length === 1 ? read : undefined), part.length > 1).split(
        '\n',
      ))
        out.push(line);
    part = [];
  };
  for (const line of lines) {
    part.push(line);
    read += 1;
    if (/^[}\]]\s*$/.test(line) || (part.length === 1 && !/^[{[]\s*$/.test(line))) close();
  }
  close();
  return out;
}

/** Objects without pods that did not die here, and without events about them; lists, watch lines and others go through. */
function leaveOthers(value: unknown, window: Window, onRedacted: OnRedacted): unknown {
  if (Array.isArray(value)) return value.map((one) => leaveOthers(one, window, onRedacted));
  if (!isObject(value)) return value;
  const { kind, items, object } = value;
  const about = kind === 'Event' ? (value['involvedObject'] ?? value['regarding']) : value;
  const pod =
    isObject(about) && about['kind'] === 'Pod' ? (kind === 'Pod' ? about['metadata'] : about) : undefined;
  if (isObject(pod) && !window.isVictim(pod)) {
    onRedacted('other-pod');
    return { kind: 'Other' };
  }
  const inside = (one: unknown): unknown => leaveOthers(one, window, onRedacted);
  if (Array.isArray(items)) return { ...value, items: items.map(inside) };
  return isObject(object) ? { ...value, object: inside(object) } : value;
}

/** Whether it is an entry of klog or logrus in JSON. */
function isLogEntry(value: unknown): value is Fields {
  if (!isObject(value) || 'metadata' in value || 'object' in value) return false;
  return ['msg', 'message'].some((field) => typeof value[field] === 'string');
}

/** What stays of an entry of a log: its time and who wrote it. */
function cleanOther(value: Fields, onRedacted: OnRedacted): unknown {
  const name = 'msg' in value ? 'msg' : 'message';
  onRedacted('other-time');
  const kept = Object.entries(value).filter(([field]) => ENTRY_FIELDS.has(field));
  return { ...Object.fromEntries(kept), [name]: LEFT_OUT };
}

function printJson(value: unknown, isPretty: boolean): string {
  return JSON.stringify(value, null, isPretty ? 4 : undefined);
}

function cleanValue(value: unknown, name: string, onRedacted: OnRedacted): unknown {
  if (typeof value === 'string') return redactWords(value, onRedacted);
  if (Array.isArray(value)) return cleanList(value as unknown[], name, onRedacted);
  if (!isObject(value)) return value;
  if (isJournalEntry(value)) return redactJournal(value, onRedacted, true);
  const { kind, metadata } = value;
  if (typeof kind === 'string' && isObject(metadata) && !EVIDENCE.test(kind) && !kind.endsWith('List')) {
    onRedacted('other-object');
    return { kind, metadata: { name: metadata['name'], namespace: metadata['namespace'] } };
  }
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, cleanField(field, inner, value, onRedacted)]),
  );
}

function blankBy(rule: string, onRedacted: OnRedacted): string {
  onRedacted(rule);
  return REDACTED;
}

function cleanField(field: string, inner: unknown, of: Fields, onRedacted: OnRedacted): unknown {
  const blank = (rule: string): string => blankBy(rule, onRedacted);
  if (OUTPUTS.has(field) && typeof inner === 'string') return blank('container-output');
  if (OPTIONS.has(field) && isObject(inner))
    return Object.fromEntries(
      Object.entries(inner).map(([name, text]) => [name, JOINS.test(name) ? text : blank(`${field}-values`)]),
    );
  if (field === 'message' && 'exitCode' in of && !NEVER_RAN.test(String(of['reason'])))
    return blank('container-output');
  return cleanValue(inner, field, onRedacted);
}

function cleanList(list: readonly unknown[], name: string, onRedacted: OnRedacted): unknown[] {
  if (name === 'managedFields') return list.map((field) => (isObject(field) ? { time: field['time'] } : {}));
  if (name === 'volumes') return list.map((volume) => (isObject(volume) ? { name: volume['name'] } : {}));
  const blank = (rule: string): string => blankBy(rule, onRedacted);
  if (VARIABLES.has(name))
    return list.map((entry) => {
      if (typeof entry === 'string') return entry.replace(/=.*$/s, () => `=${blank('container-env')}`);
      return isObject(entry) && typeof entry['value'] === 'string'
        ? { ...entry, value: blank('container-env') }
        : entry;
    });
  if (WORDS.has(name))
    return list.map((word, index) =>
      typeof word !== 'string' || (index === 0 && PROGRAMS.has(name)) ? word : blank('container-args'),
    );
  return list.map((inner) => cleanValue(inner, '', onRedacted));
}

const LOOSE_VALUE = /(["']?\b(?:value|message)["']?: *)(?:"(?:[^"\\]|\\.)*"?|[^\s"][^",}\]]*)/g;
/** A text by itself, as a list of JSON or YAML has it. */
const LOOSE_ITEM = /^(\s*)(?:"(?:[^"\\]|\\.)*"?|(- )(?![\w."'-]+:(?:\s|$)).+?)(,?)\s*$/;

/** A line of an object that was cut: every value that may be one of these, whatever it belongs to. */
function redactLooseLine(line: string, onRedacted: OnRedacted): string {
  const redacted = line
    .replace(LOOSE_VALUE, (_, before: string) => `${before}"${REDACTED}"`)
    .replace(
      LOOSE_ITEM,
      (_, space: string, dash = '', comma: string) => `${space}${String(dash)}"${REDACTED}"${comma}`,
    );
  if (redacted !== line) onRedacted('cut-object');
  return redactWords(redacted, onRedacted);
}
