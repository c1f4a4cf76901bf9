import type { Entry } from './entry.ts';
import { eventObjectOf, readEventRow, writerOf, type EventRow } from './event-rows.ts';
import type { Format, FormatReader } from './format.ts';

const HEADER = /^\s*(?:NAMESPACE +)?(?:LAST SEEN|LASTSEEN) +(?:.*)TYPE +REASON +(?:.*)MESSAGE/;

/** Tables of events by `kubectl get events` and `kubectl describe`, also where only rows of them were pasted: claims of what happened. */
export const kubectlEvents: Format = {
  name: 'kubectl get events',
  classify: (lines) => (lines.slice(0, 3).some((text) => HEADER.test(text)) ? 1 : 0),
  createReader,
  begins: (text) => HEADER.test(text) || readEventRow(text) !== undefined,
};

interface Column {
  readonly name: string;
  readonly from: number;
  readonly to: number | undefined;
}

function createReader(): FormatReader {
  let columns: readonly Column[] = [];
  return {
    line: ({ number, text }) => {
      if (HEADER.test(text)) {
        columns = columnsOf(text);
        return [];
      }
      // Rows without columns: they were lost, or nobody copied the header.
      const event = readEventRow(text) ?? inColumns(text, columns);
      return event === undefined ? 'unread' : [entryOfEvent(number, eventObjectOf(event))];
    },
    end: () => [],
  };
}

function columnsOf(header: string): Column[] {
  const found = [...header.matchAll(/\S+(?: \S+)*/g)];
  return found.map((column, index) => ({
    name: column[0],
    from: column.index,
    to: found[index + 1]?.index,
  }));
}

/** A row of a layout that has other columns: `-o wide`, and kubectl up to 1.14. */
function inColumns(text: string, columns: readonly Column[]): EventRow | undefined {
  const cells = Object.fromEntries(columns.map(({ name, from, to }) => [name, text.slice(from, to).trim()]));
  const { REASON: reason = '', MESSAGE: message = '', SOURCE: source } = cells;
  const [kind = '', name = ''] = cells['OBJECT']?.split('/') ?? [
    cells['KIND']?.toLowerCase(),
    // Up to 1.14 the name is that of the event: of the object, and a number.
    cells['NAME']?.replace(/\.[0-9a-f]+$/, ''),
  ];
  if (reason === '' || name === '') return undefined;
  return {
    reason,
    message,
    kind: kind.replace(/^po$/, 'pod'),
    name,
    type: cells['TYPE'],
    namespace: cells['NAMESPACE'],
    component: source?.split(/[, ]/)[0] || writerOf(message),
    fieldPath: cells['SUBOBJECT'] || undefined,
  };
}

/** The entry of an event that was printed for people. */
export function entryOfEvent(line: number, object: Record<string, unknown>): Entry {
  return { kind: 'object', what: 'event', at: undefined, type: 'ADDED', object, line };
}
