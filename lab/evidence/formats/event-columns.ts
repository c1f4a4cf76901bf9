import { ageOf, timeOfRow, writerOf, type EventRow } from './event-rows.ts';

/** A column of a table, by the place of its name. */
export interface Column {
  readonly name: string;
  readonly from: number;
  readonly to: number | undefined;
}

/** What kubectl, oc and people who choose their columns call them, without blanks and lines. */
const NAMES: Readonly<Record<string, keyof Cells>> = {
  NAMESPACE: 'namespace',
  REASON: 'reason',
  MESSAGE: 'message',
  MSG: 'message',
  NOTE: 'message',
  TYPE: 'type',
  OBJECT: 'object',
  INVOLVEDOBJECT: 'object',
  KIND: 'kind',
  OBJECTKIND: 'kind',
  NAME: 'name',
  OBJECTNAME: 'object',
  POD: 'object',
  SUBOBJECT: 'path',
  SUBOBJECTPATH: 'path',
  SOURCE: 'source',
  FROM: 'source',
  COMPONENT: 'source',
  HOST: 'host',
  NODE: 'host',
  COUNT: 'count',
  LASTSEEN: 'last',
  LAST: 'last',
  LASTTIMESTAMP: 'last',
  TIME: 'last',
  TIMESTAMP: 'last',
  AGE: 'last',
  FIRSTSEEN: 'first',
  FIRST: 'first',
  FIRSTTIMESTAMP: 'first',
  CREATED: 'first',
};

interface Cells {
  namespace?: string;
  reason?: string;
  message?: string;
  type?: string;
  object?: string;
  kind?: string;
  name?: string;
  path?: string;
  source?: string;
  host?: string;
  count?: string;
  last?: string;
  first?: string;
}

const plain = (name: string): string => name.replace(/[\s_.-]/g, '').toUpperCase();

/** The columns of a table of events, by its header; undefined for any other line. */
export function columnsOfEvents(text: string): readonly Column[] | undefined {
  if (text.length > 400 || !/reason/i.test(text) || !/me?ssa?ge?|note/i.test(text)) return undefined;
  // Where somebody lost the blanks between them, the columns are of single words, and say nothing of places.
  if (/^\s*(?:NAMESPACE )?LAST ?SEEN (?:[A-Z]+ )+MESSAGE/.test(text)) return [];
  const found = [...text.matchAll(/[^\s]+(?: [^\s]+)*/g)];
  const columns = found.map((column, index) => ({
    name: plain(column[0]),
    from: column.index,
    to: found[index + 1]?.index,
  }));
  const names = columns.map(({ name }) => NAMES[name]);
  const isTable = names.length >= 3 && names.every((name) => name !== undefined);
  return isTable && names.includes('reason') && names.includes('message') ? columns : undefined;
}

/** A row of a table whose header names its columns; undefined where a value is across two of them. */
export function readInColumns(text: string, columns: readonly Column[]): EventRow | undefined {
  if (columns.length === 0) return undefined;
  const isAcross = columns.some(({ from }) => /^\S\S$/.test(text.slice(from - 1, from + 1)));
  const parts = text.trim().split(/\s{2,}|\t+/);
  if (isAcross && parts.length !== columns.length) return undefined;
  const cells: Cells = {};
  for (const [index, { name, from, to }] of columns.entries()) {
    const value = isAcross ? (parts[index] ?? '') : text.slice(from, to).trim();
    const key = NAMES[name];
    if (key !== undefined && value !== '' && value !== '<none>') cells[key] = value;
  }
  return rowOfCells(cells);
}

function rowOfCells({ object, name: ofEvent, ...cells }: Cells): EventRow | undefined {
  const { reason, message = '', path, source = '', last, first } = cells;
  if (reason === undefined || !/^[A-Za-z]+$/.test(reason)) return undefined;
  const writer = source.replaceAll(/[{}]/g, '').split(/[, ]/)[0] || writerOf(message);
  const slash = object?.includes('/') === true ? object.split('/') : undefined;
  // Up to 1.14 the name is that of the event: of the object, and a number.
  const name =
    slash?.[1] ?? object ?? (cells.kind === undefined ? undefined : ofEvent?.replace(/\.[0-9a-f]+$/, ''));
  const kind = (slash?.[0] ?? cells.kind)?.toLowerCase();
  // What the kubelet says of a container, or of its end, is about a pod.
  const isOfPod = path !== undefined || writerOf(message) !== undefined;
  if (kind === undefined && name !== undefined && !isOfPod) return undefined;
  return {
    reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`,
    message,
    kind: kind ?? 'pod',
    name: name ?? '',
    type: cells.type,
    namespace: cells.namespace,
    component: writer,
    host: cells.host ?? /^\{?\S+,? ([\w.-]+)\}?$/.exec(source)?.[1],
    fieldPath: path,
    count: cells.count === undefined || !/^\d+$/.test(cells.count) ? undefined : Number(cells.count),
    firstAge: ageOf(first),
    lastAge: ageOf(last),
    at: timeOfRow(last),
    firstAt: timeOfRow(first),
  };
}
