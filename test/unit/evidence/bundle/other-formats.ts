import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Evidence of a cell as other tools print it: kernel logs by the real dmesg, journals as journalctl(1) and rsyslog document. */

/** An entry of a journal, as a capture has it. */
export interface Entry {
  readonly micros: number;
  readonly by: string;
  readonly pid: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The options of dmesg, by what people call the format. */
export const DMESG: Readonly<Record<string, readonly string[]>> = {
  dmesg: [],
  'dmesg -x': ['-x'],
  'dmesg -r': ['-r'],
  'dmesg -d': ['-d'],
  'dmesg -e': ['-e'],
  'dmesg -T': ['-T'],
  'dmesg -x -T': ['-x', '-T'],
  'dmesg --time-format iso': ['--time-format', 'iso'],
  'dmesg -J': ['-J'],
  'dmesg -x -J': ['-x', '-J'],
};

/** A kernel log as the real dmesg prints it. It dates by the boot of the machine that it runs on. */
export function printByDmesg(kmsg: string, options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-dmesg-'));
  try {
    const file = join(folder, 'ring');
    // The real one maps the file into memory, so it takes no pipe.
    writeFileSync(file, asSyslogBuffer(kmsg));
    const env = { ...process.env, TZ: 'Asia/Kolkata', LC_ALL: 'C' };
    const printed = execFileSync('dmesg', ['-F', file, ...options], {
      maxBuffer: 64 * 1024 * 1024,
      encoding: 'utf8',
      env,
    });
    // util-linux 2.38 prints as JSON all that follows a record in such a file, though not in the real ring.
    return printed.replaceAll(/^( *"msg": ".*?)\\n<\d+>\[.*"$/gm, '$1"');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The kernel's ring as syslog(2) has it: `<6>[    1.234567] text`. */
function asSyslogBuffer(kmsg: string): string {
  return kmsg
    .split('\n')
    .flatMap((line) => {
      const [, prefix, micros, text] = /^(\d+),\d+,(\d+),[^;]*;(.*)$/.exec(line) ?? [];
      return micros === undefined ? [] : [`<${prefix}>[${secondsOf(Number(micros))}] ${text}\n`];
    })
    .join('');
}

function secondsOf(micros: number): string {
  return `${String(Math.floor(micros / 1e6)).padStart(5)}.${String(micros % 1e6).padStart(6, '0')}`;
}

/** The entries of `journalctl -o json`. */
export function entriesOf(journal: string): Entry[] {
  return journal
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = JSON.parse(line) as Record<string, string>;
      return {
        micros: Number(fields['__REALTIME_TIMESTAMP']),
        by: fields['_COMM'] ?? '',
        pid: fields['_PID'] ?? '1',
        message: fields['MESSAGE'] ?? '',
        fields,
      };
    });
}

/** Five and a half hours ahead of UTC, as no file says. */
const ZONE_MS = 5.5 * 3_600_000;
const HOST = 'ip-192-0-2-17';

type Print = (entry: Entry) => string;

const writer = ({ by, pid, message }: Entry): string => `${HOST} ${by}[${pid}]: ${message}`;
const iso = (micros: number): string => new Date(micros / 1000).toISOString();
const syslogTime = (micros: number): string => {
  const [, month = '', day = '', time = ''] =
    /^\w+, (\d+) (\w+) \d+ ([\d:]+)/
      .exec(new Date(micros / 1000 + ZONE_MS).toUTCString())
      ?.map((part, index, all) => (index === 1 ? all[2] : index === 2 ? all[1] : part) ?? '') ?? [];
  return `${month} ${String(Number(day)).padStart(2)} ${time}`;
};
const parts = (micros: number): string => `.${String(micros % 1e6).padStart(6, '0')}`;
const zoned = (micros: number): string =>
  `${new Date(micros / 1000 + ZONE_MS).toISOString().slice(0, 19)}+0530`;

/** A journal as journalctl and syslog daemons print it, in the zone of the node. */
export const JOURNALS: Readonly<Record<string, Print>> = {
  'journalctl -o json': ({ fields }) => JSON.stringify(fields),
  'journalctl -o export': ({ fields }) =>
    `${Object.entries(fields)
      .map(([name, value]) => asExported(name, value))
      .join('\n')}\n`,
  'journalctl -o short': (entry) => `${syslogTime(entry.micros)} ${writer(entry)}`,
  'journalctl -o short-precise': (entry) =>
    `${syslogTime(entry.micros)}${parts(entry.micros)} ${writer(entry)}`,
  'journalctl -o short-iso': (entry) => `${zoned(entry.micros)} ${writer(entry)}`,
  'journalctl -o short-full --utc': (entry) =>
    `Sat ${iso(entry.micros).slice(0, 10)} ${iso(entry.micros).slice(11, 19)} UTC ${writer(entry)}`,
  'journalctl -o short-unix': (entry) =>
    `${Math.floor(entry.micros / 1e6)}${parts(entry.micros)} ${writer(entry)}`,
  'syslog of RFC 3164': (entry) => `${syslogTime(entry.micros)} ${writer(entry)}`,
  'syslog of RFC 3339': (entry) =>
    `${iso(entry.micros).slice(0, 19)}${parts(entry.micros)}+00:00 ${writer(entry)}`,
  'syslog of RFC 5424': ({ micros, by, pid, message }) =>
    `<30>1 ${iso(micros)} ${HOST} ${by} ${pid} - - ${message}`,
  // As rsyslogd 8.2302 writes them: with the space of the tag, and without the colon.
  'syslog of RFC 5424, received over RFC 3164': ({ micros, by, pid, message }) =>
    `<30>1 ${iso(micros)} ${HOST} ${by} ${pid} - -  ${message}`,
  'syslog of RFC 3164, received over RFC 5424': ({ micros, by, pid, message }) =>
    `${syslogTime(micros)} ${HOST} ${by}[${pid}] ${message}`,
};

/** A value of several lines is binary: its name, eight bytes of length, the bytes. */
function asExported(name: string, value: string): string {
  if (!/[\n\0]/.test(value)) return `${name}=${value}`;
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
  return `${name}\n${length.toString('utf8')}${value}`;
}
