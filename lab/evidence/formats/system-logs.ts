import type { Line } from '../lines.ts';
import type { Entry, Stamp } from './entry.ts';
import { formatOfLines, type Format, type FormatName } from './format.ts';
import { entryOfLog, entryOfProgram, isKlogCut, isLogrus } from './program-lines.ts';
import { MONTH } from './months.ts';
import { stampOfBoot, stampOfIso, stampOfSyslog } from './stamps.ts';

/**
 * `kubelet[857]: message`; syslog may have a program without a pid. rsyslogd leaves the colon out where the line came over RFC 5424: then
 * only a pid tells that a word is a program.
 */
const WRITER = String.raw`(?<host>\S*[^\s:]) (?:(?<by>[^\s:[\]]+)(?:\[\d+\])?:|(?<relayed>kernel|[^\s:[\]]+(?=\[\d+\] ))(?:\[\d+\])?) (?<message>.*)`;
/** People cut the host out. */
const HOSTLESS = String.raw`(?<by>kernel(?=: )|[^\s:[\]]+(?=\[\d+\]: ))(?:\[\d+\])?: (?<message>.*)`;
const SHORT_TIME = String.raw`^(?:<\d+>)?(?<at>${MONTH} [ \d]?\d \d\d:\d\d:\d\d(?:\.\d+)?)`;
const SHORT = new RegExp(`${SHORT_TIME} ${WRITER}$`, 'su');
const SHORT_HOSTLESS = new RegExp(`${SHORT_TIME} ${HOSTLESS}$`, 'su');
/** Or host and program, of a message that has its own time. */
const BARE = new RegExp(String.raw`${SHORT_TIME} (?<message>time="\d{4}-.*)$`, 'su');
/** `short-iso` and `short-iso-precise` of journalctl, and the default of rsyslog since Debian 12 (RFC 3339). */
const ISO = new RegExp(
  String.raw`^(?:<\d+>)?(?<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)) ${WRITER}$`,
  's',
);
/** `short-full`: `Fri 2026-11-20 21:53:51 UTC`; only UTC is a zone that its letters name. */
const FULL = new RegExp(
  String.raw`^[A-Z][a-z]{2} (?<day>\d{4}-\d\d-\d\d) (?<time>\d\d:\d\d:\d\d(?:\.\d+)?) (?<zone>\S+) ${WRITER}$`,
  's',
);
const UNIX = new RegExp(String.raw`^(?<at>\d{9,10}\.\d{6}) ${WRITER}$`, 's');
/** `<6>1 2026-11-20T21:53:51.003Z host kubelet 857 - - message`: RFC 5424. rsyslogd writes two spaces where the line came over RFC 3164. */
const RFC5424 =
  /^<\d+>1 (?<at>\S+) (?<host>\S+) (?<by>\S+) \S+ \S+ (?:-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: {1,2}(?<message>.*))?$/s;
/** What journalctl adds: where the journal begins, and where a boot does. */
const ADDED = /^-- (?:Logs begin|Journal begins|Boot |Reboot|No entries|cursor:|Unit )/;

/** The short formats of journalctl, of which syslog of RFC 3164 is one. */
export const journalText: Format = formatOfLines(
  'journalctl',
  (line) => {
    const { text } = line;
    const found = (
      SHORT.exec(text) ??
      UNIX.exec(text) ??
      FULL.exec(text) ??
      SHORT_HOSTLESS.exec(text) ??
      BARE.exec(text)
    )?.groups;
    return found && entryOf(line, found, stampOfShort(found));
  },
  (text) => ADDED.test(text),
);

/** Lines that begin with a time of RFC 3339, and syslog of RFC 5424. */
export const syslog: Format = formatOfLines(
  'syslog',
  (line) => {
    const found = (ISO.exec(line.text) ?? RFC5424.exec(line.text))?.groups;
    return found && entryOf(line, found, stampOfIso(found['at'] ?? ''));
  },
  (text) => ADDED.test(text),
);

function stampOfShort({ at, day, time, zone }: Readonly<Record<string, string>>): Stamp | undefined {
  if (day !== undefined) return stampOfIso(`${day}T${time ?? ''}${zone === 'UTC' ? 'Z' : ''}`);
  return /^\d{9}/.test(at ?? '') ? { wallMs: Number(at) * 1000, cutMs: 0 } : stampOfSyslog(at ?? '');
}

function entryOf(
  { number }: Line,
  { host, relayed = '', by = relayed, message = '' }: Readonly<Record<string, string | undefined>>,
  stamp: Stamp | undefined,
): Entry | undefined {
  return stamp && entryOfLog({ line: number, stamp, host, by, message });
}

/**
 * `[ 7203.129383] node-1 kernel: message`, where `dmesg` has no machine and no writer. A program has a pid: the kernel's own texts
 * have colons, too (`usb 1-1: new device`). Names are bounded: a line may have millions of letters.
 */
const MONOTONIC =
  /^\[ *(?<at>\d{1,12}\.\d{6})(?: <[ \d.]{1,40}>| {1,40})?\] (?<host>[^\s:[\]]{1,255}) (?:(?<by>kernel)|(?<program>[^\s:[\]]{1,255})\[\d{1,10}\]): (?<message>.*)$/s;

/** `journalctl -o short-monotonic`, and `short-delta`, which adds how much later each line came. */
export const journalMonotonic: Format = formatOfLines('journalctl', (line) => {
  const found = MONOTONIC.exec(line.text)?.groups;
  if (found === undefined) return undefined;
  const { at = '', program } = found;
  return entryOf(line, { ...found, by: program ?? 'kernel' }, stampOfBoot(at));
});

/** `kubelet[857]: ` of a line of the journal whose date and host people cut out: what follows has its own time. */
const TIMELESS = /^(?<by>[^\s:[\]]{1,255})\[\d{1,10}\]: (?<message>.*)$/s;

/** The log of one program that puts the time into its lines, or lines of such programs without the time of the journal. */
function formatOfOwnTime(name: FormatName, messageIn: (text: string) => string | undefined): Format {
  return formatOfLines(name, ({ number, text }) => {
    const { by = '', message: said = text } = TIMELESS.exec(text)?.groups ?? {};
    const message = messageIn(said);
    return message === undefined
      ? undefined
      : entryOfProgram({ line: number, stamp: { cutMs: 0 }, by, message });
  });
}

/** Of klog: kubelet. */
export const klog = formatOfOwnTime('klog', (text) => (isKlogCut(text) ? text : undefined));

/** Of logrus: containerd, dockerd, CRI-O. */
export const logfmt = formatOfOwnTime('logfmt', (text) => (isLogrus(text) ? text : asLogfmt(text)));

/** What logrus prints to a terminal: `INFO[2022-03-21T12:38:16.42+08:00] shim disconnected      id=bdcdae43`. */
const TERMINAL =
  /^(INFO|WARN|ERRO|FATA|DEBU)\[(\d{4}-\S+?)\] (.*?)((?: {2,}| )?(?: ?[a-z][\w.]*=(?:"(?:[^"\\]|\\.)*"|\S+))*)\s*$/s;

function asLogfmt(text: string): string | undefined {
  const [, level = '', at, said = '', fields = ''] = TERMINAL.exec(text) ?? [];
  if (at === undefined) return undefined;
  return `time="${at}" level=${level.toLowerCase()} msg=${JSON.stringify(said.trim())} ${fields.trim()}`.trim();
}

/** `cmd/ctr/commands/events/events.go` of containerd. */
const CTR = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) \+0000 UTC \S+ \/\S+ \{.*\}$/;

/** `ctr events`. */
export const ctrEvents: Format = formatOfLines('ctr events', ({ number, text }) => {
  const [, day, time] = CTR.exec(text) ?? [];
  const stamp = day === undefined ? undefined : stampOfIso(`${day}T${time ?? ''}Z`);
  return stamp && { kind: 'program', line: number, stamp, by: 'ctr', message: text };
});
