import type { Entry } from './entry.ts';
import { columnsOfEvents, readInColumns, type Column } from './event-columns.ts';
import { eventObjectOf, readEventRow, readRowOfKubectl } from './event-rows.ts';
import type { Format, FormatReader } from './format.ts';

/** Tables of events by `kubectl get events` and `kubectl describe`, also where only rows of them were pasted: claims of what happened. */
export const kubectlEvents: Format = {
  name: 'kubectl get events',
  classify: (lines) => (lines.slice(0, 3).some(isHeader) ? 1 : 0),
  createReader,
  begins: (text) => isHeader(text) || readEventRow(text) !== undefined,
};

function isHeader(text: string): boolean {
  return columnsOfEvents(text) !== undefined;
}

function createReader(): FormatReader {
  let columns: readonly Column[] = [];
  return {
    line: ({ number, text }) => {
      const header = columnsOfEvents(text);
      if (header !== undefined) {
        columns = header;
        return [];
      }
      // Rows without columns: they were lost, or nobody copied the header.
      const event = readRowOfKubectl(text) ?? readInColumns(text, columns) ?? readEventRow(text);
      return event === undefined ? 'unread' : [entryOfEvent(number, eventObjectOf(event))];
    },
    end: () => [],
  };
}

/** The entry of an event that was printed for people. */
export function entryOfEvent(line: number, object: Record<string, unknown>): Entry {
  return { kind: 'object', what: 'event', at: undefined, type: 'ADDED', object, line };
}
