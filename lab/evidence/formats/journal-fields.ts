import { messageOf } from '../journal.ts';
import { stringOf } from '../lines.ts';
import type { Entry, Stamp } from './entry.ts';
import { entryOfProgram } from './program-lines.ts';

/** Fields of a journal entry, as `-o json` and `-o export` have them. */
export type JournalFields = Readonly<Record<string, unknown>>;

/** The kernel is not a unit and has no process; journald says so by the transport. */
const KERNEL = 'kernel';

/** Whether an object is an entry of the journal. */
export function isJournalEntry(fields: JournalFields): boolean {
  return '__REALTIME_TIMESTAMP' in fields && ('MESSAGE' in fields || '__CURSOR' in fields);
}

/**
 * Reads an entry of the journal, with the clocks that it has. journald takes the transport, the unit and the name of the program
 * from the process, so nobody writes in the name of another; only the facility shows whether the kernel wrote its record.
 */
export function readJournalEntry(fields: JournalFields, line: number): readonly Entry[] {
  const wallMs = microsOf(fields['__REALTIME_TIMESTAMP'], 1000);
  const bootMicros = microsOf(fields['__MONOTONIC_TIMESTAMP'], 1);
  const bootId = stringOf(fields['_BOOT_ID']);
  const stamp: Stamp = { wallMs, bootMicros, cutMs: 0 };
  const message = messageOf(fields['MESSAGE']);
  const host = stringOf(fields['_HOSTNAME']);
  const logged = { line, stamp, message, host, bootId };
  const isKernel =
    fields['_TRANSPORT'] === KERNEL ||
    (fields['_TRANSPORT'] === undefined &&
      fields['_COMM'] === undefined &&
      fields['SYSLOG_IDENTIFIER'] === KERNEL);
  if (!isKernel) return [entryOfProgram({ ...logged, by: writerOf(fields) })];
  const facility = fields['_TRANSPORT'] === KERNEL ? microsOf(fields['SYSLOG_FACILITY'], 1) : undefined;
  // The clock of the record itself, not that of journald when it read it.
  const own = microsOf(fields['_SOURCE_MONOTONIC_TIMESTAMP'], 1);
  const ofRecord = { ...stamp, bootMicros: own ?? bootMicros };
  return [{ kind: 'kernel', line, stamp: ofRecord, text: message, facility, host, bootId }];
}

/** The name of the program; of k3s and alike, whose processes have other names, that of the unit. */
function writerOf(fields: JournalFields): string {
  const command = stringOf(fields['_COMM']);
  const unit = stringOf(fields['_SYSTEMD_UNIT'])?.replace(/\.service$/, '');
  if (unit !== undefined && /^(?:k3s|rke2|k0s)/.test(unit)) return unit;
  return command ?? stringOf(fields['SYSLOG_IDENTIFIER']) ?? unit ?? '';
}

/** journald prints numbers as text; the kernel's facility is a number of one digit. */
function microsOf(value: unknown, per: number): number | undefined {
  const number = value === undefined || value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number / per : undefined;
}
