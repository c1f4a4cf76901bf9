/** src/libsystemd/sd-journal/journal-def.h: every journal file begins with it. */
export const JOURNAL_MAGIC = 'LPKSHHRH';

/** Whether a file is one of systemd's journal, which only journalctl reads. */
export function isJournalFile(first: string): boolean {
  return first.startsWith(JOURNAL_MAGIC);
}

/**
 * The program that reads such a file: its output is `journalctl -o json`, with the clocks and the writer of each entry. Whoever opens
 * files runs it, and gives its lines in place of those of the file.
 *
 * @param path of the file on this machine.
 */
export function journalctlWords(path: string): readonly [program: string, ...words: string[]] {
  return ['journalctl', `--file=${path}`, '--output=json', '--all', '--utc', '--no-pager'];
}
