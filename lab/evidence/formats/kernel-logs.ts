import type { Line } from '../lines.ts';
import type { KernelEntry, LocalTime } from './entry.ts';
import { formatOfLines, shareOf, type Format, type FormatReader } from './format.ts';
import { MONTH } from './months.ts';
import { stampOfBoot, stampOfCtime, stampOfIso, stampOfSyslog } from './stamps.ts';

/** `6,1234,5678901,-;text` (Documentation/ABI/testing/dev-kmsg). */
const KMSG = /^(\d+),(\d+),(\d+),([^;]*);(.*)$/s;

/** Raw records of /dev/kmsg. A line that the kernel printed in pieces stays in pieces. */
export const kmsg: Format = formatOfLines('/dev/kmsg', ({ number, text, cut }) => {
  const [, prefix, seq, micros, , said] = KMSG.exec(text) ?? [];
  if (said === undefined || cut) return undefined;
  return {
    kind: 'kernel',
    line: number,
    stamp: { bootMicros: Number(micros), cutMs: 0 },
    text: said,
    seq: Number(seq),
    facility: Number(prefix) >> 3,
  };
});

/** `kern  :info  : ` of `dmesg -x`, `<6>` of `dmesg -r`. */
const WRITER = String.raw`(?:(?<name>[a-z0-9]+) *:[a-z]+ *: |<(?<pri>\d+)>)?`;
const CALLER = String.raw`(?:\[ *[TC]\d+\])?`;
/** `[    1.234567] text`, and `[    1.234567 <    0.000001>]` of `dmesg -d`. */
const BOOT = new RegExp(
  String.raw`^${WRITER}\[ *(?<at>\d+\.\d{6})(?: <[ \d.]+>)?\]${CALLER} ?(?<text>.*)$`,
  's',
);
const CTIME = new RegExp(
  String.raw`^${WRITER}\[(?<at>\p{L}{1,4}\.? ${MONTH} [ \d]?\d [^\]]+)\] (?<text>.*)$`,
  'su',
);
/** util-linux has a comma before the microseconds. */
const ISO = new RegExp(
  String.raw`^${WRITER}(?<at>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d+[+-]\d\d:?\d\d) (?<text>.*)$`,
  's',
);

/** `dmesg` of util-linux and busybox, also with `-x`, `-r` or `-d`. */
export const dmesg: Format = formatOfLines('dmesg', (line) => read(line, BOOT, stampOfBoot));

/** `dmesg -T`: the wall clock as the kernel's clock and the boot time give it, in the zone of the node. */
export const dmesgCtime: Format = formatOfLines('dmesg -T', (line) => read(line, CTIME, stampOfCtime));

/** `dmesg --time-format iso`. */
export const dmesgIso: Format = formatOfLines('dmesg --time-format iso', (line) =>
  read(line, ISO, stampOfIso),
);

/** `10.5.0.2: kern: warning: [2026-11-20T21:53:58.313Z]: text`, as `talosctl dmesg` and a console of Talos have it. */
const TALOS =
  /^(?:(?<host>\S+): )? *(?<name>[a-z0-9]+): +[a-z]+: \[(?<at>\d{4}-\d\d-\d\dT[\d:.]+Z)\]: (?<text>.*)$/s;

/** What Talos itself writes there; people also quote it without what is before. */
const OF_TALOS = /^\[talos\] (?<message>\S.*)$/s;

/** The kernel log of Talos, into which its first process writes its own. */
export const talosDmesg: Format = formatOfLines('talosctl dmesg', (line) => {
  const host = TALOS.exec(line.text)?.groups?.['host'];
  const entry = read(line, TALOS, stampOfIso);
  const message = OF_TALOS.exec(entry?.text ?? line.text)?.groups?.['message'];
  if (message !== undefined && entry?.facility !== 0)
    return {
      kind: 'program',
      line: line.number,
      stamp: entry?.stamp ?? { cutMs: 0 },
      by: 'talos',
      message,
      host,
    };
  return entry && { ...entry, host };
});

function read(
  { number, text }: Line,
  pattern: RegExp,
  toStamp: (text: string) => KernelEntry['stamp'] | undefined,
): KernelEntry | undefined {
  const found = pattern.exec(text)?.groups;
  const stamp = found && toStamp(found['at'] ?? '');
  if (found === undefined || stamp === undefined) return undefined;
  const facility = facilityOf(found['name'], found['pri']);
  return { kind: 'kernel', line: number, stamp, text: found['text'] ?? '', facility };
}

function facilityOf(name: string | undefined, priority: string | undefined): number | undefined {
  if (priority !== undefined) return Number(priority) >> 3;
  if (name === undefined) return undefined;
  // Whatever else it is, it is not the kernel.
  return name === 'kern' ? 0 : 1;
}

/** The first line of a minute, and how much later each other one came. */
const MINUTE = /^\[([A-Z][a-z]{2}) ?( ?\d{1,2}) (\d\d:\d\d)\] (.*)$/s;
const LATER = /^\[ *\+(\d+\.\d+)\] (.*)$/s;
const MINUTE_MS = 60_000;

/** `dmesg -e` and `dmesg -H`, without colours: minutes, in the zone of the node. */
export const dmesgMinutes: Format = {
  name: 'dmesg -e',
  classify: (lines) =>
    lines.some((text) => MINUTE.test(text))
      ? shareOf(lines, (text) => MINUTE.test(text) || LATER.test(text))
      : 0,
  createReader: () => {
    let local: LocalTime | undefined;
    return {
      line: ({ number, text }) => {
        const [, month = '', day = '', time = '', first] = MINUTE.exec(text) ?? [];
        const [, later, said = first] = LATER.exec(text) ?? [];
        if (first !== undefined)
          local = stampOfSyslog(`${month} ${day.trim().padStart(2)} ${time}:00`)?.local;
        else if (later !== undefined && local !== undefined)
          local = { ...local, ms: local.ms + Number(later) * 1000 };
        if (said === undefined) return 'unread';
        return [{ kind: 'kernel', line: number, stamp: { local, cutMs: MINUTE_MS }, text: said }];
      },
      end: () => [],
    };
  },
  begins: (text) => MINUTE.test(text),
};

const JSON_FIELD = /^\s*"(pri|fac|time|msg)": *(.*?),?$/;

/** `dmesg -J`: one field a line. The facility is there only with `-x`. */
export const dmesgJson: Format = {
  name: 'dmesg -J',
  classify: ([first = '', second = '']) => (first.trim() === '{' && /^\s*"dmesg": *\[/.test(second) ? 1 : 0),
  createReader: createJsonReader,
};

function createJsonReader(): FormatReader {
  let fields: Record<string, unknown> = {};
  return {
    line: ({ number, text }) => {
      const [, name, value = ''] = JSON_FIELD.exec(text) ?? [];
      if (name === undefined) return /^[\s{}[\],]*(?:"dmesg": *\[)?$/.test(text) ? [] : 'unread';
      try {
        fields[name] = JSON.parse(value.trim()) as unknown;
      } catch {
        return 'unread';
      }
      if (name !== 'msg') return [];
      const { time, fac, msg } = fields;
      fields = {};
      if (typeof time !== 'number' || typeof msg !== 'string') return 'unread';
      const facility = typeof fac === 'string' ? facilityOf(fac, undefined) : undefined;
      const stamp = { bootMicros: Math.round(time * 1_000_000), cutMs: 0 };
      return [{ kind: 'kernel', line: number, stamp, text: msg, facility }];
    },
    end: () => [],
  };
}
