import type { Entry } from './entry.ts';
import type { Format, FormatName, FormatReader } from './format.ts';
import { readObject } from './objects.ts';

/** Columns of which one has the lines of a log, as collectors call them. */
const OF_LINES = /^(?:@?message|msg|_raw|line|log|content|syslogmessage|textpayload)$/i;
/** Other columns that such a table has. */
const BESIDE =
  /^(?:@?timestamp|date|time|_time|timegenerated.*|host|hostname|computer|service|processname|@log|@logstream|unit|ident|name|reason|objectkind)$/i;
/** A cell in quotes may have several lines: so many, and no more. */
const MOST_LINES = 50;

/** Tables of comma-separated values with a header, as collectors of logs export them: each row is a record. */
export const csv: Format = {
  name: 'log as CSV',
  classify: ([header = '']) => {
    const names = cellsOf(header) ?? [];
    return names.some((name) => OF_LINES.test(name)) && names.some((name) => BESIDE.test(name)) ? 0.8 : 0;
  },
  createReader,
  isDocument: true,
};

function createReader(): FormatReader {
  let names: readonly string[] | undefined;
  let name: FormatName | undefined;
  let open = { text: '', lines: 0, line: 0 };
  const read = (cells: readonly string[], line: number): readonly Entry[] => {
    const record: Record<string, unknown> = {};
    cells.forEach((cell, index) => {
      const column = names?.[index] ?? '';
      record[KNOWN[column.toLowerCase().replace(/ .*/, '')] ?? column] = cell;
    });
    const { message, timestamp: _time, ...rest } = record;
    // Without a column that names the writer, the line itself may.
    const found = readObject(record, line) ?? readObject({ ...rest, _raw: message, _time }, line);
    name ??= found === undefined ? undefined : 'log as CSV';
    return found?.entries ?? [];
  };
  return {
    line: ({ number, text }) => {
      open =
        open.lines === 0
          ? { text, lines: 1, line: number }
          : { ...open, text: `${open.text}\n${text}`, lines: open.lines + 1 };
      const cells = cellsOf(open.text);
      if (cells === undefined && open.lines < MOST_LINES) return [];
      const { line } = open;
      open = { text: '', lines: 0, line: 0 };
      if (cells === undefined) return 'unread';
      if (names !== undefined) return read(cells, line);
      names = cells;
      return [];
    },
    end: () => [],
    name: () => name,
  };
}

/** Columns by the names that records as JSON have. */
const KNOWN: Readonly<Record<string, string>> = {
  date: 'timestamp',
  time: 'timestamp',
  timestamp: 'timestamp',
  timegenerated: 'TimeGenerated',
  host: 'host',
  hostname: 'hostname',
  service: 'service',
  message: 'message',
  msg: 'message',
  line: 'message',
  content: 'message',
};

/** The cells of a row; undefined while a quote is open. */
function cellsOf(text: string): string[] | undefined {
  const cells: string[] = [];
  let at = 0;
  do {
    if (text[at] === '"') {
      const end = endOfQuoted(text, at);
      if (end === undefined) return undefined;
      cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = text.indexOf(',', at);
      const end = comma < 0 ? text.length : comma;
      cells.push(text.slice(at, end).trim());
      at = end;
    }
    at += 1;
  } while (at <= text.length && text[at - 1] === ',');
  return cells;
}

function endOfQuoted(text: string, from: number): number | undefined {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    if (text[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
}
