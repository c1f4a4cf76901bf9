import { clocksOfVerbose, isVerboseHead, verboseField } from '../formats/journal-verbose.ts';
import { readJournalEntry } from '../formats/journal-fields.ts';
import type { OnRedacted } from '../secret-patterns.ts';
import { isKeptField, LEFT_OUT, redactMessage } from './redact-journal.ts';
import { redactWords } from './redact-words.ts';
import type { Window } from './window.ts';

/** The text of `journalctl -o verbose` without what a death does not need; lines stay lines. */
export function redactVerbose(
  lines: readonly string[],
  path: string,
  onRedacted: OnRedacted,
  window: Window | undefined,
): string {
  const out: string[] = [];
  let entry: string[] = [];
  const close = (): void => {
    const [head = ''] = entry;
    const isAround = window?.keeps(path, out.length + 1, entry.join('\n')) ?? true;
    const fields: Record<string, string> = { ...clocksOfVerbose(head) };
    for (const line of entry) {
      const field = verboseField(line);
      if (field !== undefined) fields[field.name] = field.value;
    }
    const [read] = readJournalEntry(fields, 1);
    let isKept = false;
    for (const line of entry) {
      const field = verboseField(line);
      if (field !== undefined) isKept = isKeptField(field.name);
      if (line === '' || isVerboseHead(line)) out.push(line);
      else if (!isKept) out.push(`    LEFT_OUT=${LEFT_OUT}`);
      else if (field?.name === 'MESSAGE')
        out.push(`    MESSAGE=${redactMessage(field.value, read, undefined, onRedacted, isAround)}`);
      else out.push(field === undefined ? `     ${LEFT_OUT}` : redactWords(line, onRedacted));
    }
    entry = [];
  };
  for (const line of lines) {
    if (isVerboseHead(line)) close();
    entry.push(line.replace(/\r$/, ''));
  }
  close();
  return out.join('\n');
}
