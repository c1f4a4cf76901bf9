import type { Entry } from './entry.ts';
import { shareOf, type Format, type FormatReader } from './format.ts';
import { isJournalEntry, readJournalEntry } from './journal-fields.ts';

/**
 * `Fri 2026-11-20 21:53:59.005123 UTC [s=…;i=…;b=…;m=…;t=…;x=…]`: the cursor has both clocks in microseconds, in hexadecimal, and so
 * the zone of the date does not matter (systemd: src/shared/logs-show.c, output_verbose).
 */
const HEAD =
  /^[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+ \[s=[0-9a-f]+;i=[0-9a-f]+;b=[0-9a-f]+;m=([0-9a-f]{1,13});t=([0-9a-f]{1,13});x=[0-9a-f]+\]$/;
/** A field of an entry. */
const FIELD = /^ {4}([A-Z_][A-Z0-9_]*)=(.*)$/s;

/** Whether an entry begins with a line. */
export function isVerboseHead(text: string): boolean {
  return HEAD.test(text);
}

/** The field of a line of an entry; undefined where it goes on the one before, or is of no entry. */
export function verboseField(text: string): { readonly name: string; readonly value: string } | undefined {
  const [, name, value] = FIELD.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : { name, value };
}

/** The clocks of an entry, as the fields of other forms of the journal have them. */
export function clocksOfVerbose(head: string): Readonly<Record<string, string>> {
  const [, monotonic = '', realtime = ''] = HEAD.exec(head) ?? [];
  return {
    __MONOTONIC_TIMESTAMP: String(Number.parseInt(monotonic, 16)),
    __REALTIME_TIMESTAMP: String(Number.parseInt(realtime, 16)),
  };
}

/** `journalctl -o verbose`. A value of several lines goes on at a greater indentation. */
export const journalVerbose: Format = {
  name: 'journalctl -o verbose',
  classify: (lines) =>
    lines.some(isVerboseHead) ? shareOf(lines, (text) => isVerboseHead(text) || /^ {4}/.test(text)) : 0,
  createReader,
  begins: isVerboseHead,
};

function createReader(): FormatReader {
  let fields: Record<string, string> = {};
  let begun = 0;
  let open: string | undefined;
  const close = (): readonly Entry[] => {
    const entry = isJournalEntry(fields) ? readJournalEntry(fields, begun) : [];
    fields = {};
    open = undefined;
    return entry;
  };
  return {
    line: ({ number, text }) => {
      if (isVerboseHead(text)) {
        const ended = close();
        [fields, begun] = [{ ...clocksOfVerbose(text) }, number];
        return ended;
      }
      const field = verboseField(text);
      if (begun === 0 || (field === undefined && !/^ {5}/.test(text))) return 'unread';
      if (field !== undefined) {
        fields[field.name] = field.value;
        open = field.name;
      } else if (open !== undefined) fields[open] += `\n${text.trimStart()}`;
      return [];
    },
    end: close,
  };
}
