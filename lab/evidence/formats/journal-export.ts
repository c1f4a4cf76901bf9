import type { Line } from '../lines.ts';
import type { Entry } from './entry.ts';
import { shareOf, type Format, type FormatReader } from './format.ts';
import { isJournalEntry, readJournalEntry } from './journal-fields.ts';

/** https://systemd.io/JOURNAL_EXPORT_FORMATS: `NAME=value`, one field a line, and an empty line behind each entry. */
const FIELD = /^([A-Z_][A-Z0-9_]*)=(.*)$/s;
/** A field with other bytes than text: its name, and in the next line its length in eight bytes, then the bytes. */
const BINARY = /^[A-Z_][A-Z0-9_]*$/;
const LENGTH = /^[^\0]{0,3}\0{5,7}/;

/** `journalctl -o export`. Of a field with several lines the length is not checked: the next name ends it. */
export const journalExport: Format = {
  name: 'journalctl -o export',
  classify: (lines) =>
    lines.some((text) => text.startsWith('__REALTIME_TIMESTAMP=')) ? shareOf(lines, isField) : 0,
  createReader,
  begins: (text) => /^__(?:CURSOR|REALTIME_TIMESTAMP)=/.test(text),
};

function isField(text: string): boolean {
  return FIELD.test(text) || BINARY.test(text);
}

function createReader(): FormatReader {
  let fields: Record<string, string> = {};
  let begun = 0;
  let last = 0;
  let open: string | undefined;
  const close = (): readonly Entry[] => {
    const entry = isJournalEntry(fields) ? readJournalEntry(fields, begun) : [];
    fields = {};
    open = undefined;
    return entry;
  };
  const add = ({ number, text }: Line): 'unread' | undefined => {
    const [, name, value] = FIELD.exec(text) ?? [];
    if (name !== undefined && value !== undefined) {
      if (Object.keys(fields).length === 0) begun = number;
      fields[name] = value;
      open = undefined;
    } else if (BINARY.test(text)) {
      if (Object.keys(fields).length === 0) begun = number;
      open = text;
    } else if (open !== undefined) {
      const before = fields[open];
      fields[open] = before === undefined ? text.replace(LENGTH, '') : `${before}\n${text}`;
    } else return 'unread';
    return undefined;
  };
  return {
    line: (line) => {
      // Lines come without the empty ones, but with their numbers.
      const ended = line.number > last + 1 ? close() : [];
      last = line.number;
      const said = add(line);
      return ended.length === 0 && said !== undefined ? said : ended;
    },
    end: close,
  };
}
