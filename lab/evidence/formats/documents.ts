import { parseDocument } from 'yaml';
import { isObject, tryParseJson } from '../../model/files/parse-json.ts';
import type { Entry } from './entry.ts';
import type { Format, FormatName, FormatReader } from './format.ts';
import { eventOfPart, podOfPart } from './loose-objects.ts';
import { readObject } from './objects.ts';
import { isRuntimeObject } from './runtime-objects.ts';
import { isLogLine, splitJson, splitPart, splitYaml, type Part, type Splitter } from './split-documents.ts';
import { leaveOfUse } from './yaml-of-use.ts';

/** JSON of any layout: one object a line, several objects, lists. The objects decide what it is. */
export const json: Format = {
  name: 'API objects',
  classify: (lines) => (/^\s*[{[]/.test(lines[0] ?? '') && !isLogLine(lines[0] ?? '') ? 0.6 : 0),
  createReader: () => createReader(readJson, splitJson()),
  isDocument: true,
  begins: (text) => /^[{[]\s*(?:$|["{[])/.test(text) && !isLogLine(text),
  ends: (text) => /^[^\s{}[\]",\d-]/.test(text) && !/^(?:true|false|null)\b/.test(text),
};

/** YAML of the API: one object, a list, or several documents. */
export const yaml: Format = {
  name: 'API objects',
  classify: (lines) =>
    lines.some((text) => /^(?:- )?(?:apiVersion|kind): \S/.test(text)) &&
    lines.some((text) => /^(?:- | {2})?(?:metadata|items|spec|involvedObject|kind):/.test(text))
      ? 0.6
      : 0,
  createReader: () => createReader(readOfUse, splitYaml()),
  isDocument: true,
  begins: (text) => /^(?:- )?(?:apiVersion|kind): \S+$/.test(text),
  ends: (text) => /^\S/.test(text) && !IN_YAML.test(text),
};

/** A part of a pod's status, as JSON: without the brackets around it. */
export const jsonPart: Format = {
  name: 'API objects',
  classify: () => 0,
  createReader: () => createReader(readJsonPart, splitPart()),
  isDocument: true,
  begins: (text) =>
    /^\s*"(?:lastState|state|State|status|\w*[cC]ontainerStatuses|terminated|involvedObject)" ?:/.test(text),
  ends: (text) => !/^\s*(?:["{}[\],\d-]|true|false|null|\.{3}|…)/.test(text),
};

/** The same as YAML, at any indentation. */
export const yamlPart: Format = {
  name: 'API objects',
  classify: () => 0,
  createReader: () => createReader(readYamlPart, splitPart()),
  isDocument: true,
  begins: (text) =>
    /^\s*(?:- )?(?:lastState|state|status|\w*[cC]ontainerStatuses|terminated|phase|message|reason|involvedObject|firstTimestamp):(?:\s|$)/.test(
      text,
    ),
  ends: (text) => /^\S/.test(text) && !IN_YAML.test(text),
};

/** A line in the first column of a document: a field, an item, a comment, or the beginning of another document. */
const IN_YAML = /^(?:[a-z_][\w.-]*:(?:\s|$)|"[^"]+":|- |-$|#|---|\.\.\.$|[}\]])/;

function createReader(parsePart: (text: string) => unknown, splitter: Splitter): FormatReader {
  let name: FormatName | undefined;
  const read = ({ line, text, listKind }: Part): readonly Entry[] => {
    const found = readObject(parsePart(text), line, listKind);
    name ??= found?.name;
    return found?.entries ?? [];
  };
  return {
    line: (line) => {
      const parts = splitter.add(line);
      return parts === 'unread' ? parts : parts.flatMap(read);
    },
    end: () => splitter.end().flatMap(read),
    name: () => name,
  };
}

/** JSON; where it was cut off, what is whole of it. */
function readJson(text: string): unknown {
  return tryParseJson(text) ?? tryParseJson(closeJson(text));
}

/** The members of an object whose brackets were not pasted. */
function readJsonPart(text: string): unknown {
  const members = text
    .replace(/^\s*(?:\.{3}|…)\s*$/gm, '')
    .trim()
    .replace(/,$/, '');
  const value = tryParseJson(`{${members}}`) ?? tryParseJson(closeJson(`{${members}`));
  return isObject(value) ? partOf(value) : undefined;
}

function readYamlPart(text: string): unknown {
  const lines = text.split('\n');
  const margin = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;
  const least = lines.reduce(
    (most, line) => (line.trim() === '' ? most : Math.min(most, margin(line))),
    Infinity,
  );
  const value = readYaml(lines.map((line) => line.slice(least)).join('\n'));
  const [part] = Array.isArray(value) ? (value as unknown[]) : [value];
  return isObject(part) ? partOf(part) : undefined;
}

/** What the runtime says is an object of its own; of the API, it is a part of a pod. */
function partOf(value: Record<string, unknown>): unknown {
  return isRuntimeObject(value) ? value : (eventOfPart(value) ?? podOfPart(value));
}

/** Text up to its last whole value, with the brackets that are missing. */
function closeJson(text: string): string {
  const open: string[] = [];
  let isInText = false;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (isInText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isInText = false;
      continue;
    }
    if (sign === '"') isInText = true;
    else if (sign === '{' || sign === '[') open.push(sign === '{' ? '}' : ']');
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign !== ',') continue;
    if (isInText) continue;
    end = sign === ',' ? at : at + 1;
  }
  // What is open has not changed since that end: each bracket moves it.
  return text.slice(0, end) + open.toReversed().join('');
}

/** YAML of the API, of which only what may tell is read. Where that is not whole YAML, all of it is. */
function readOfUse(text: string): unknown {
  const ofUse = leaveOfUse(text);
  if (ofUse === undefined) return undefined;
  if (ofUse.length === text.length) return readYaml(text);
  const document = parseDocument(ofUse, { logLevel: 'silent' });
  return (document.errors.length > 0 ? undefined : valueOf(document)) ?? readYaml(text);
}

/** YAML; where a line of it is damaged, what can be read of the others. */
function readYaml(text: string): unknown {
  return valueOf(parseDocument(text, { logLevel: 'silent' }));
}

function valueOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 }) as unknown;
  } catch {
    // Not YAML after all, or more than it may hold: the part says nothing.
    return undefined;
  }
}
