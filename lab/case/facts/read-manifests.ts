import { isObject } from '../../model/files/parse-json.ts';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../model/declared/scenario.ts';
import type { CaseFact } from '../../model/saved/case.ts';
import type { ReportPart } from './split-report.ts';

/** An object that a report has. */
export interface ReportObject {
  readonly object: Manifest;
  readonly file: string;
  readonly line: number;
}

/** What was read of the manifests of a report. */
export interface ReportManifests {
  readonly objects: readonly ReportObject[];
  readonly problems: readonly string[];
}

/** A manifest that a person wrote is not longer. */
const MOST_LETTERS = 200_000;
const MOST_OBJECTS = 200;

/** Reads every object of Kubernetes that a report has in its blocks, also behind a command such as `cat <<EOF`. */
export function readManifests(parts: readonly ReportPart[]): ReportManifests {
  const objects: ReportObject[] = [];
  const problems: string[] = [];
  for (const part of parts) {
    const at = part.lines.findIndex(
      ({ text }) =>
        /^\s*(?:-\s+)?"?apiVersion"?\s*:\s*\S/.test(text) || /^\s*\{\s*"(?:apiVersion|kind)"/.test(text),
    );
    if (at < 0) continue;
    const { file, lines } = part;
    const first = lines[at]?.number ?? 1;
    const text = textFrom(lines.slice(startOf(lines, at)));
    if (text.length > MOST_LETTERS) {
      problems.push(
        `${file}:${first}: ${text.length} letters are more than a manifest has; it is read as a log only`,
      );
      continue;
    }
    const found = parseObjects(text);
    if (typeof found === 'string') problems.push(`${file}:${first}: ${found}`);
    else for (const object of found) objects.push({ object, file, line: first });
  }
  if (objects.length > MOST_OBJECTS)
    problems.push(`${objects.length} objects: the first ${MOST_OBJECTS} are read`);
  return { objects: objects.slice(0, MOST_OBJECTS), problems };
}

/** A field may be written before `apiVersion`: `kind: Pod`. */
function startOf(lines: ReportPart['lines'], at: number): number {
  let start = at;
  while (start > 0 && /^\s*"?(?:kind|metadata|spec)"?\s*:|^\s*\{\s*$|^---/.test(lines[start - 1]?.text ?? ''))
    start -= 1;
  return start;
}

/** Up to the end of a here-document, without the indent of all lines. */
function textFrom(lines: ReportPart['lines']): string {
  const end = lines.findIndex(({ text }) => /^\s*(?:EOF|EOT|END)\s*$/.test(text));
  const own = (end < 0 ? lines : lines.slice(0, end)).map(({ text }) => text.replaceAll('\t', '  '));
  const indents = own.flatMap((text) => (text.trim() === '' ? [] : [/^ */.exec(text)?.[0].length ?? 0]));
  const indent = Math.min(...indents, Infinity);
  return own.map((text) => text.slice(Number.isFinite(indent) ? indent : 0)).join('\n');
}

function parseObjects(text: string): Manifest[] | string {
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false });
    if (!Array.isArray(documents)) return [];
    const broken = documents.find(({ errors }) => errors.length > 0);
    if (broken !== undefined) return `not YAML: ${broken.errors[0]?.message.split('\n')[0] ?? ''}`;
    return documents.flatMap((document) => flatten(document.toJS({ maxAliasCount: 50 }) as unknown));
  } catch (error) {
    return `not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'it cannot be read'}`;
  }
}

function flatten(value: unknown): Manifest[] {
  if (Array.isArray(value)) return value.flatMap(flatten);
  if (!isObject(value) || typeof value.kind !== 'string') return [];
  if (value.kind.endsWith('List') && Array.isArray(value.items)) return value.items.flatMap(flatten);
  return typeof value.apiVersion === 'string' ? [value] : [];
}

/** The field of an object, where both are there. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

/** The specification of the pods of an object; undefined when it makes none. */
export function podSpecOf(object: Manifest): Record<string, unknown> | undefined {
  const spec =
    object.kind === 'Pod'
      ? object.spec
      : (fieldOf(object, 'spec', 'template', 'spec') ??
        fieldOf(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'));
  return isObject(spec) && Array.isArray(spec.containers) ? spec : undefined;
}

/** The containers of a pod, or its init containers. */
export function containersOf(
  spec: Record<string, unknown>,
  field: 'containers' | 'initContainers',
): Record<string, unknown>[] {
  const list = spec[field];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** What the manifests say of the workload. */
export function factsOfManifests(objects: readonly ReportObject[]): CaseFact[] {
  const facts: CaseFact[] = [];
  for (const { object, file, line } of objects) {
    const spec = podSpecOf(object);
    if (spec === undefined) continue;
    const add = (name: CaseFact['name'], value: string): void => {
      if (facts.some((fact) => fact.name === name && fact.value === value)) return;
      facts.push({ name, value, role: 'affected', words: value, file, line });
    };
    add('workload', `${String(object.kind)} ${nameOf(object)}`);
    for (const container of [...containersOf(spec, 'initContainers'), ...containersOf(spec, 'containers')])
      for (const kind of ['limits', 'requests'] as const) {
        const amounts = fieldOf(container, 'resources', kind);
        if (isObject(amounts))
          for (const [resource, amount] of Object.entries(amounts))
            if (['string', 'number'].includes(typeof amount))
              add('limit', `${String(container.name)}: ${kind}.${resource} ${String(amount)}`);
      }
  }
  return facts;
}

function nameOf(object: Manifest): string {
  const name = fieldOf(object, 'metadata', 'name') ?? fieldOf(object, 'metadata', 'generateName');
  return typeof name === 'string' ? name : '';
}
