import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Entry } from './other-formats.ts';

/** The programs that write journals and logs of syslog on real nodes. Debian: systemd-journal-remote, rsyslog. */
export const JOURNAL_REMOTE = findProgram('/lib/systemd/systemd-journal-remote');
export const RSYSLOGD = findProgram('/usr/sbin/rsyslogd');
/** Said by a test that is skipped. */
export const JOURNALCTL = findProgram('/usr/bin/journalctl');

function findProgram(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

const BOOT_ID = '3f2a1c9e55a14f6e9d5e0a4a1c1b7d10';
const HOST = 'node-1';

/** An entry as journald exports it, with what journald adds. */
function exported({ micros, by, pid, fields }: Entry, bootMicros: number): Buffer {
  const all: Readonly<Record<string, string>> = {
    ...fields,
    __REALTIME_TIMESTAMP: String(micros),
    __MONOTONIC_TIMESTAMP: String(micros - bootMicros),
    _BOOT_ID: BOOT_ID,
    _HOSTNAME: HOST,
    ...(fields['_TRANSPORT'] === 'kernel' ? {} : { _PID: pid, SYSLOG_IDENTIFIER: by }),
  };
  const parts = Object.entries(all).map(([name, value]) => {
    if (!/[\n\0]/.test(value)) return Buffer.from(`${name}=${value}\n`);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
    return Buffer.concat([Buffer.from(`${name}\n`), length, Buffer.from(`${value}\n`)]);
  });
  return Buffer.concat([...parts, Buffer.from('\n')]);
}

/** Gives the journal file that the real systemd-journal-remote writes of these entries, and removes it afterwards. */
export async function withJournalFile<T>(
  entries: readonly Entry[],
  bootMicros: number,
  use: (file: string) => T,
): Promise<Awaited<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-journal-'));
  try {
    const [given, file] = [join(folder, 'given.export'), join(folder, 'system.journal')];
    writeFileSync(given, Buffer.concat(entries.map((entry) => exported(entry, bootMicros))));
    execFileSync(JOURNAL_REMOTE ?? '', ['--output', file, given], { stdio: 'pipe' });
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the real journalctl prints of a journal file, with these options. */
export function printByJournalctl(file: string, options: readonly string[]): string {
  return execFileSync(JOURNALCTL ?? '', ['--file', file, '--no-pager', '--all', ...options], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, TZ: 'Asia/Kolkata', LC_ALL: 'C' },
  });
}

const TEMPLATES = [
  'RSYSLOG_TraditionalFileFormat',
  'RSYSLOG_FileFormat',
  'RSYSLOG_SyslogProtocol23Format',
] as const;
const STOP_MS = 20_000;

/** How a client sends a line: as programs of the node do, and as another syslog daemon relays it. */
export const SENT = ['RFC 3164', 'RFC 5424'] as const;
type Sent = (typeof SENT)[number];

/** What the real rsyslogd writes of these lines, by the name of its template. It runs in the foreground, for itself. */
export async function writeByRsyslog(
  entries: readonly Entry[],
  sent: Sent,
): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-rsyslog-'));
  const port = await findPort();
  const path = (name: string): string => join(folder, name);
  const outputs = TEMPLATES.map((name) => `action(type="omfile" file="${path(name)}" template="${name}")`);
  const config = [
    `global(workDirectory="${folder}" maxMessageSize="256k")`,
    'module(load="imtcp")',
    `input(type="imtcp" address="127.0.0.1" port="${port}")`,
    ...outputs,
  ];
  writeFileSync(path('rsyslog.conf'), `${config.join('\n')}\n`);
  const daemon = spawn(RSYSLOGD ?? '', ['-n', '-f', path('rsyslog.conf'), '-i', path('pid')], {
    stdio: 'ignore',
    env: { ...process.env, TZ: 'Asia/Kolkata', LC_ALL: 'C' },
  });
  const ended = new Promise((done) => daemon.once('exit', done));
  try {
    await send(
      port,
      entries.map((entry) => lineOf(entry, sent)),
    );
    const until = Date.now() + STOP_MS;
    const isWritten = (name: string): boolean =>
      existsSync(path(name)) && readFileSync(path(name), 'utf8').split('\n').length > entries.length;
    while (!TEMPLATES.every(isWritten) && Date.now() < until) await wait(50);
    return Object.fromEntries(TEMPLATES.map((name) => [name, readFileSync(path(name), 'utf8')]));
  } finally {
    daemon.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  }
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function lineOf({ micros, by, pid, message }: Entry, sent: Sent): string {
  const date = new Date(micros / 1000);
  const [day, time] = date.toISOString().slice(0, 19).split('T');
  if (sent === 'RFC 5424')
    return `<30>1 ${day}T${time}.${String(micros % 1e6).padStart(6, '0')}Z ${HOST} ${by} ${pid} - - ${message}`;
  const month = MONTHS[date.getUTCMonth()] ?? '';
  const tag = pid === '-' ? by : `${by}[${pid}]`;
  return `<30>${month} ${String(date.getUTCDate()).padStart(2)} ${time} ${HOST} ${tag}: ${message}`;
}

/** Sends lines, each with its length before it (RFC 6587). */
async function send(port: number, lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${Buffer.byteLength(line)} ${line}`).join('');
  const until = Date.now() + STOP_MS;
  for (;;)
    try {
      await new Promise<void>((done, fail) => {
        const socket = connect(port, '127.0.0.1', () => socket.end(text, () => done()));
        socket.once('error', fail);
      });
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await wait(50);
    }
}
