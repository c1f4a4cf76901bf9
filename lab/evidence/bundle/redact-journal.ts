import { isOfInterest } from '../kernel-records.ts';
import { readJournalEntry, type JournalFields } from '../formats/journal-fields.ts';
import type { Entry } from '../formats/entry.ts';
import type { OnRedacted } from '../secret-patterns.ts';
import { redactWords } from './redact-words.ts';
import { isOfUse, roleOf } from './roles.ts';
import { KLOG_HEAD, LOGRUS_HEAD } from '../../model/evidence/log-heads.ts';

/** What stays of a line that says nothing of a death: its time and who wrote it. */
export const LEFT_OUT = '[left out]';

/** The time that a program wrote itself, by klog or logrus. */
const OWN_TIME = new RegExp(`^(?:${KLOG_HEAD}|${LOGRUS_HEAD})`);

/** Fields of the journal that tell when, where, who and what; others have command lines and whatever a program likes. */
const FIELDS =
  /^(?:__(?:REALTIME|MONOTONIC)_TIMESTAMP|__CURSOR|_BOOT_ID|_HOSTNAME|_TRANSPORT|_COMM|_PID|_UID|_SYSTEMD_UNIT|_SOURCE_\w+|MESSAGE|PRIORITY|SYSLOG_(?:IDENTIFIER|FACILITY|PID))$/;

/** Whether a field of the journal stays. */
export function isKeptField(name: string): boolean {
  return FIELDS.test(name);
}

/**
 * A message of a log: that of a program which has nothing to do with containers, or of another writer of the kernel log, goes.
 *
 * @param isAround whether it is near to a death, or about who died. Of the others only what the kernel says stays: OOM
 *   kills of a boot are counted, and the same lines in two files relate their clocks.
 */
export function redactMessage(
  message: string,
  entry: Entry | undefined,
  unit: string | undefined,
  onRedacted: OnRedacted,
  isAround = true,
): string {
  const isKept = entry === undefined || (isNeeded(entry, unit) && (isAround || entry.kind === 'kernel'));
  if (isKept) return redactWords(message, onRedacted);
  onRedacted(isAround ? 'other-program' : 'other-time');
  return `${OWN_TIME.exec(message)?.[0] ?? ''}${LEFT_OUT}`;
}

function isNeeded(entry: Entry, unit: string | undefined): boolean {
  if (entry.kind === 'kernel')
    return (
      (entry.facility ?? 0) === 0 && (isOfInterest(entry.text) || !/\baudit|\btype=\d+/.test(entry.text))
    );
  if (entry.kind !== 'program') return true;
  const role = roleOf(entry, unit);
  if (role === 'kubelet' || role === 'containerd') return true;
  return role !== undefined && isOfUse(role, entry);
}

/** An entry of `journalctl -o json`. */
export function redactJournal(
  fields: JournalFields,
  onRedacted: OnRedacted,
  isAround: boolean,
): Record<string, unknown> {
  const [entry] = readJournalEntry(fields, 1);
  const kept = Object.entries(fields).filter(([name]) => isKeptField(name));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (name !== 'MESSAGE' || entry === undefined) return [name, value];
      const message = entry.kind === 'kernel' ? entry.text : entry.kind === 'program' ? entry.message : '';
      return [name, redactMessage(message, entry, undefined, onRedacted, isAround)];
    }),
  );
}
