import { largest } from '../../model/text/extremes.ts';
import { stampOfBoot, stampOfIso, stampOfKlog, wallOfGo } from './stamps.ts';
import type { KernelEntry, ProgramEntry, Stamp } from './entry.ts';
import { KLOG_HEAD, LOGRUS_HEAD } from '../../model/evidence/log-heads.ts';

/** What a log has of one line: when, who, where, what. */
interface LoggedLine {
  readonly line: number;
  readonly stamp: Stamp;
  readonly by: string;
  readonly message: string;
  readonly host?: string | undefined;
  readonly bootId?: string | undefined;
}

/** `[  778.970000] text`; newer kernels add the task or CPU that printed it, `[ T1234]`. */
const BRACKET = /^\[ *(\d+\.\d{6})\](?:\[ *[TC]\d+\])? ?(.*)$/s;
const KLOG = new RegExp(`^${KLOG_HEAD}`);
const LOGRUS = new RegExp(`^${LOGRUS_HEAD}`);
/** The kubelet prints when it saw a pod run, by a clock with a zone, a moment before it logs the line. */
const WATCHED = /\b(?:observedRunningTime|watchObservedRunningTime)="([^"]+)"/g;

/** Builds the entry of a line of the journal or of syslog. The kernel's lines have its name and no other sign. */
export function entryOfLog(logged: LoggedLine): KernelEntry | ProgramEntry {
  if (logged.by !== 'kernel') return entryOfProgram(logged);
  const { line, stamp, message, host, bootId } = logged;
  const [, seconds, text] = BRACKET.exec(message) ?? [];
  if (seconds === undefined || text === undefined)
    return { kind: 'kernel', line, stamp, text: message, host, bootId };
  const { bootMicros } = stampOfBoot(seconds);
  return { kind: 'kernel', line, stamp: { ...stamp, bootMicros }, text, host, bootId };
}

/** Builds the entry of a line of a program, with the time that the program itself wrote into it. */
export function entryOfProgram({ line, stamp, by, message, host, bootId }: LoggedLine): ProgramEntry {
  return { kind: 'program', line, stamp, own: ownStamp(message), by, message, host, bootId };
}

/** The time in a message of klog or logrus. */
function ownStamp(message: string): Stamp | undefined {
  const klog = KLOG.exec(message);
  if (klog !== null) {
    const stamp = stampOfKlog(klog[1] ?? '');
    const wallMs = watchedAt(message);
    return stamp && (wallMs === undefined ? stamp : { ...stamp, wallMs });
  }
  const logrus = LOGRUS.exec(message);
  return logrus === null ? undefined : stampOfIso(logrus[1] ?? logrus[2] ?? '');
}

/** The last time that the kubelet quotes; undefined when the line has none. */
function watchedAt(message: string): number | undefined {
  const times = [...message.matchAll(WATCHED)].flatMap(([, text = '']) => wallOfGo(text) ?? []);
  const latest = times.length === 0 ? undefined : largest(times);
  // The year 1 is Go's zero: the kubelet did not see it.
  return latest === undefined || latest < 0 ? undefined : latest;
}

/** Whether a message has the header of klog. */
export function isKlog(message: string): boolean {
  return KLOG.test(message);
}

/** Whether a message is of logrus: containerd, dockerd, CRI-O, k3s. */
export function isLogrus(message: string): boolean {
  return LOGRUS.test(message);
}
