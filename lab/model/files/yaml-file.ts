import {
  isAlias,
  isCollection,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type ParsedNode,
} from 'yaml';
import type { z } from 'zod';
import { configProblem, type ConfigProblem } from '../errors/errors.ts';
import { nearestName } from '../text/nearest.ts';
import { describeYamlError } from './yaml-errors.ts';
import { ofTemplate, quoteLine, type Fault } from './yaml-fault.ts';
import { listZodProblems } from './zod-problems.ts';

/** A text file of the project; `path` is relative to the project. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  /** Why it is not a text that can be read: `a folder`. The text is then empty. */
  readonly unreadable?: string;
  /** It is of the catalogue that whodunit brings, where a project of somebody's own is read over it. */
  readonly isShipped?: true;
}

/** What a file of the project has to be. */
export const READABLE = 'a text file (UTF-8)';

/** Nobody nests more; deeper values would end in a stack overflow somewhere. */
const MAX_DEPTH = 64;

/** How many values the aliases of a document may expand to altogether. */
const MAX_ALIASES = 100;

/**
 * Parses a YAML file of one document by a schema; undefined when it is wrong, which is added to the problems.
 *
 * @param problems gets one problem of the syntax, or all problems of the values.
 */
export function parseOne<T extends z.ZodType>(
  file: ConfigFile,
  schema: T,
  problems: ConfigProblem[],
): z.infer<T> | undefined {
  const document = readOne(file, problems);
  if (document === undefined) return undefined;
  const parsed = schema.safeParse(document.value);
  if (parsed.success) return parsed.data;
  problems.push(...listZodProblems(file.path, schema, document.value, parsed.error));
  return undefined;
}

/** The value of a YAML file of one document; undefined when it is not such a file (the problems say why). */
export function readOne(
  file: ConfigFile,
  problems: ConfigProblem[],
): { readonly value: unknown } | undefined {
  const read = readDocuments(file);
  if ('problem' in read) {
    problems.push(read.problem);
    return undefined;
  }
  const [first, second] = read.documents;
  if (second !== undefined) {
    problems.push({
      ...configProblem(file.path, '', 'one YAML document', 'a second one (behind ---)'),
      ...read.placeOf(startOf(second.document)),
    });
    return undefined;
  }
  const value = first?.value;
  if (value !== undefined && value !== null) return { value };
  problems.push(configProblem(file.path, '', 'the fields of this file', 'an empty file'));
  return undefined;
}

/**
 * The documents of a YAML file as plain values, empty ones too; undefined when it is not YAML (a problem says where).
 */
export function readAll(file: ConfigFile, problems: ConfigProblem[]): unknown[] | undefined {
  const read = readDocuments(file);
  if (!('problem' in read)) return read.documents.map(({ value }) => value);
  problems.push(read.problem);
  return undefined;
}

/**
 * Adds line and column to problems: where the field is that they name, else where the nearest part of its path is.
 * Files that are not YAML, and problems of whole files, have no such place.
 *
 * @param files those that the problems may name, by `path`.
 */
export function placeProblems(
  problems: readonly ConfigProblem[],
  files: readonly ConfigFile[],
): ConfigProblem[] {
  return problems.map((problem) => {
    const file = files.find(({ path }) => path === problem.file);
    if (problem.line !== undefined || problem.path === '' || file === undefined) return problem;
    const read = readDocuments(file);
    if ('problem' in read) return problem;
    const [, number = '1', path = ''] = /^(?:document (\d+)(?:\.|$))?(.*)$/s.exec(problem.path) ?? [];
    const document = read.documents[Number(number) - 1]?.document;
    return document === undefined ? problem : { ...problem, ...read.placeOf(findOffset(document, path)) };
  });
}

interface Place {
  readonly line: number;
  readonly column: number;
}

type Read =
  | { readonly problem: ConfigProblem }
  | { readonly documents: readonly ReadDocument[]; readonly placeOf: (offset: number) => Place };

/** A document that has an end, and what it says. */
interface ReadDocument {
  readonly document: Document.Parsed;
  readonly value: unknown;
}

/** What was read of a file: it is parsed once, and asked again for the places of its problems. */
const known = new WeakMap<ConfigFile, Read>();

function readDocuments(file: ConfigFile): Read {
  const read = known.get(file) ?? parseDocuments(file);
  known.set(file, read);
  return read;
}

/** Parses a file and makes sure that its documents can be turned into values: those that do not end are refused. */
function parseDocuments(file: ConfigFile): Read {
  if (file.unreadable !== undefined)
    return { problem: configProblem(file.path, '', READABLE, file.unreadable) };
  const lines = new LineCounter();
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  let parsed: readonly Document.Parsed[];
  try {
    // Its warnings would be printed as they are, with whatever the file has in them.
    const options = { lineCounter: lines, prettyErrors: false, logLevel: 'error' } as const;
    parsed = [...parseAllDocuments(file.text, options)];
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error;
    return { problem: configProblem(file.path, '', `at most ${MAX_DEPTH} levels`, 'more') };
  }
  const documents: ReadDocument[] = [];
  for (const document of parsed) {
    const read = readDocument(document, file.text);
    if ('fault' in read) {
      const { offset, expected, received, nearest } = read.fault;
      return {
        problem: { ...configProblem(file.path, '', expected, received, nearest), ...placeOf(offset) },
      };
    }
    documents.push(read);
  }
  return { documents, placeOf };
}

/** What a document says, else the first thing that is wrong with it: others may only follow from it. */
function readDocument(document: Document.Parsed, text: string): ReadDocument | { readonly fault: Fault } {
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const open = findOpenQuote(document);
    // How deep the parser gets depends on its stack: only the line is sure.
    const isDeep = error.code === 'RESOURCE_EXHAUSTION';
    const offset = open ?? (isDeep ? text.lastIndexOf('\n', error.pos[0]) + 1 : error.pos[0]);
    const expected = open === undefined ? describeYamlError(error) : 'text whose quote is closed';
    return { fault: ofTemplate({ offset, expected, received: quoteLine(text, offset) }, text) };
  }
  const fault = findEndless(document);
  if (fault !== undefined) return { fault: ofTemplate(fault, text) };
  try {
    return { document, value: document.toJS({ maxAliasCount: MAX_ALIASES }) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const expected = `aliases (*name) that stand for at most ${MAX_ALIASES} values altogether`;
    return { fault: { offset: startOf(document), expected, received: 'more' } };
  }
}

/**
 * Where a text with a quote that is never closed begins: everything after it is part of it, and where that ends says
 * nothing.
 */
function findOpenQuote(document: Document.Parsed): number | undefined {
  const missing = document.errors.find(({ message }) => /Missing closing .*quote/.test(message));
  if (missing === undefined) return undefined;
  let start: number | undefined;
  visit(document, {
    Scalar: (_, node) => {
      const [from = 0, to = 0] = node.range ?? [];
      if (/^QUOTE_/.test(node.type ?? '') && from <= missing.pos[0] && missing.pos[0] <= to) start = from;
    },
  });
  return start;
}

/** An alias of nothing or of what it is part of, or a value that is nested too deep. */
function findEndless(document: Document.Parsed): Fault | undefined {
  const anchors: string[] = [];
  let fault: Fault | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isCollection(key)) return undefined;
      const offset = offsetOf(key) ?? startOf(document);
      fault = { offset, expected: 'text as the name of a field', received: 'a list or fields' };
      return visit.BREAK;
    },
    Node: (_, node, path) => {
      const offset = offsetOf(node) ?? startOf(document);
      if (path.length > 2 * MAX_DEPTH)
        fault = { offset, expected: `at most ${MAX_DEPTH} levels`, received: 'more' };
      else if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.push(node.anchor);
        return undefined;
      } else {
        const target = node.resolve(document);
        const received = `*${node.source}`;
        if (target === undefined) {
          const nearest = nearestName(node.source, anchors);
          const expected = 'an anchor (&name) before its alias';
          fault = { offset, expected, received, nearest: nearest === undefined ? undefined : `*${nearest}` };
        } else if (path.includes(target))
          fault = { offset, expected: 'an alias of something that does not contain it', received };
      }
      return fault === undefined ? undefined : visit.BREAK;
    },
  });
  return fault;
}

/** Where the field of a path begins: its name in an object, itself in a list. A name may have dots. */
function findOffset(document: Document.Parsed, path: string): number {
  let node: ParsedNode | null = document.contents;
  let offset = startOf(document);
  let rest = path;
  while (rest !== '' && node !== null) {
    const step = findStep(document, node, rest);
    if (step === undefined) break;
    ({ offset, node, rest } = step);
  }
  return offset;
}

interface Step {
  readonly offset: number;
  readonly node: ParsedNode | null;
  readonly rest: string;
}

function findStep(document: Document.Parsed, at: ParsedNode, path: string): Step | undefined {
  const node = isAlias(at) ? (at.resolve(document) as ParsedNode | undefined) : at;
  if (node === undefined || !('items' in node)) return undefined;
  const entries = node.items.map((item, index): [string, ParsedNode | null, Node | null] =>
    'key' in item ? [nameOf(item.key), item.value, item.key] : [String(index), item, item],
  );
  const [found] = entries
    .filter(([name]) => path === name || path.startsWith(`${name}.`))
    .toSorted(([a], [b]) => b.length - a.length);
  if (found === undefined) return undefined;
  const [name, value, place] = found;
  return { offset: offsetOf(place) ?? startOf(document), node: value, rest: path.slice(name.length + 1) };
}

function nameOf(key: ParsedNode): string {
  return 'value' in key ? String(key.value) : '';
}

function startOf(document: Document.Parsed): number {
  return offsetOf(document.contents) ?? document.range[0];
}

function offsetOf(node: Node | null): number | undefined {
  return node?.range?.[0];
}
