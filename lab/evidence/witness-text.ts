import { isObject } from '../model/files/parse-json.ts';
import { formatMebibytes } from '../model/text/format-bytes.ts';
import { SI_KERNEL, SIGKILL, SIGNAL_NAMES } from '../model/evidence/signals.ts';
import { numberOf, stringOf } from './lines.ts';

/** The parts of a witness record that its text is made of. */
export interface TextRecord {
  readonly kind: string;
  readonly mono: number;
  readonly fields: Record<string, unknown>;
  readonly text: string;
}

/** The kernel's `res` of signal:signal_generate when the target ignores the signal, or the signal comes too late. */
const IGNORED = 1;

/** Whether a record is a signal that had no effect. */
export function isIgnoredSignal(record: TextRecord): boolean {
  return record.kind === 'signal' && record.fields.res === IGNORED;
}

/** The values of one cgroup file as strings, which is how the witness writes them. */
export function valuesOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  if (hasOnlyTexts(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, String(part)]));
}

function hasOnlyTexts(value: Record<string, unknown>): value is Record<string, string> {
  for (const key in value) if (typeof value[key] !== 'string') return false;
  return true;
}

/** The cgroup of a sender. On cgroup v1 a process that has just ended is in the root, which says nothing. */
export function senderCgroupOf(fields: Record<string, unknown>): string | undefined {
  const path = stringOf(fields.senderCgroup);
  return path === undefined || path === '' || path === '/' ? undefined : path;
}

/** The record as a sentence: who signalled whom, or a counter with its cgroup. */
export function describeRecord({ kind, fields, text }: TextRecord): string {
  if (kind === 'signal') {
    const to = `${signalName(fields.sig)} to pid ${String(fields.pid)} (${String(fields.comm)})`;
    const from = senderCgroupOf(fields);
    return `${to} from ${senderName(fields)}${from === undefined ? '' : ` in ${from}`}`;
  }
  if (kind === 'cgroup-values') {
    return `${stringOf(fields.file) ?? ''}: ${describeValues(fields.values)} in ${stringOf(fields.path) ?? ''}`;
  }
  if (kind === 'oom-victim') {
    const place = stringOf(fields.cgroup) ?? '';
    // It may be gone before the witness could read its name.
    const comm = stringOf(fields.comm) ?? '';
    const name = comm === '' ? '' : ` (${comm})`;
    return `the OOM killer chose pid ${String(fields.pid)}${name}${place === '' ? '' : ` in ${place}`}`;
  }
  if (kind === 'process') {
    const name = `${String(fields.comm)}${describeSandbox(stringOf(fields.args))}`;
    return `pid ${String(fields.pid)} (${name}), pid ${String(fields.nspid)} inside, in ${String(fields.cgroup)}`;
  }
  return text;
}

/** What a process of a gVisor sandbox is, and how much memory the sandbox takes for its own. */
function describeSandbox(args: string | undefined): string {
  if (args === undefined) return '';
  const total = /--total-memory[= ](\d+)/.exec(args)?.[1];
  const name = args.split(' ', 1)[0] ?? '';
  return `: ${name}${total === undefined ? '' : ` with --total-memory ${formatMebibytes(Number(total), 1)}`}`;
}

const SENT_OR_ENDED: ReadonlySet<string> = new Set(['signal', 'exit', 'node-exit']);

/**
 * The texts of all exits by their record. Each names the signal before it, SIGKILL first, or says that there was none.
 */
export function describeExits<R extends TextRecord>(records: readonly R[]): Map<R, string> {
  const signals = new Map<unknown, TextRecord>();
  const texts = new Map<R, string>();
  const sentOrEnded = records.filter(({ kind }) => SENT_OR_ENDED.has(kind));
  for (const record of sentOrEnded.sort((a, b) => a.mono - b.mono)) {
    const { pid, comm } = record.fields;
    if (record.kind === 'signal' && !isIgnoredSignal(record) && signals.get(pid)?.fields.sig !== SIGKILL) {
      signals.set(pid, record);
    }
    if (record.kind === 'signal') continue;
    texts.set(record, `pid ${String(pid)} (${String(comm)}) ended${describeCause(signals.get(pid), record)}`);
    signals.delete(pid); // the number may be used again
  }
  return texts;
}

function describeCause(signal: TextRecord | undefined, exit: TextRecord): string {
  if (signal === undefined) return ', and the trace has no signal to it';
  const ms = Math.round((exit.mono - signal.mono) / 100) / 10;
  return ` ${ms} ms after ${signalName(signal.fields.sig)}`;
}

/** The trace has whoever was on the CPU as the sender of a signal that the kernel sends by itself. */
function senderName(fields: Record<string, unknown>): string {
  const sender = `pid ${String(fields.senderPid)} (${String(fields.senderComm)})`;
  return fields.code === SI_KERNEL ? `the kernel while ${sender} ran` : sender;
}

function signalName(signal: unknown): string {
  return SIGNAL_NAMES[numberOf(signal) ?? 0] ?? `signal ${String(signal)}`;
}

/** Counters of zero say nothing next to others, except the one that the judge looks at. */
function describeValues(value: unknown): string {
  const values = valuesOf(value);
  const single = values[''];
  if (single !== undefined)
    return /^\d{6,}$/.test(single) ? `${formatMebibytes(Number(single), 1)} (${single})` : single;
  return Object.entries(values)
    .filter(([key, count]) => key === 'oom_kill' || count !== '0')
    .sort(([a], [b]) => Number(b === 'oom_kill') - Number(a === 'oom_kill'))
    .map(([key, part]) => `${key} ${part}`)
    .join(', ');
}
