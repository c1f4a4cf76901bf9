import { findSavedRow, type SavedMeasures } from '../model/measures/declared-measure.ts';
import { COUNT_LIMITS, spellCount } from '../model/limits/count-limits.ts';
import type { Lost, SamplerRan } from '../model/evidence/observation.ts';
import { createGapFinder, type GapFinder } from './gaps.ts';
import type { JournalContext } from './journal.ts';
import {
  baseOf,
  createSpan,
  linesOf,
  lostOf,
  numberOf,
  parseObject,
  stringOf,
  toTheEnd,
  type EvidenceText,
} from './lines.ts';

/** Status of `timeout` when it ended the program: by SIGTERM, and when that was not enough, by SIGKILL. */
const TIMED_OUT = [124, 137];
const MAX_RECORDS = COUNT_LIMITS.samplerRecords.count;
/** Longest part of an output that a reason quotes. */
const MAX_QUOTED = 80;

/** What is known of one sampler of the stream. */
interface Stream {
  readonly numbers: GapFinder;
  started: boolean;
  /** What its `stop` says it ran; undefined while none was read. */
  runs: number | undefined;
  timeoutMs: number | undefined;
}

type Fields = Record<string, unknown>;

interface Read {
  readonly fields: Fields;
  readonly line: number;
  readonly at: number | undefined;
}

/**
 * Reads what the samplers of one node printed (`provision/guest/sampling.ts` writes it). Runs are numbered: one that is
 * missing is lost, as is the rest of a sampler that has no `stop`.
 *
 * @param saved what the record of the cell says of its measures; default: all of them are built in.
 */
export function parseSamples(
  content: EvidenceText,
  file: string,
  { onCovered, dateEntry }: JournalContext,
  saved: SavedMeasures = {},
): (SamplerRan | Lost)[] {
  const found: (SamplerRan | Lost)[] = [];
  const records: Read[] = [];
  const span = createSpan();
  let bootId = '';
  for (const line of linesOf(content)) {
    if (records.length === MAX_RECORDS) {
      found.push(
        lostOf(
          'samples',
          `only the first ${spellCount(MAX_RECORDS)} records are read`,
          file,
          undefined,
          line.number,
        ),
      );
      break;
    }
    const fields = parseObject(line.text);
    if (fields === undefined || stringOf(fields.sampler) === undefined) {
      if (!line.cut)
        found.push(lostOf('samples', 'a line is not a record of a sampler', file, undefined, line.number));
      continue;
    }
    bootId = stringOf(fields.boot)?.replaceAll('-', '') ?? bootId;
    records.push({ fields, line: line.number, at: undefined });
  }
  const dated = records.map((record): Read => {
    const wall = numberOf(record.fields.wall);
    const uptime = numberOf(record.fields.uptime);
    const monoMicros = uptime === undefined ? undefined : uptime * 1e6;
    return {
      ...record,
      at: dateEntry({ at: wall === undefined ? undefined : wall * 1000, monoMicros, bootId }),
    };
  });
  const streams = new Map<string, Stream>();
  for (const record of dated) noteRecord(streams, record);
  for (const record of dated) {
    span.add(record.at);
    if (record.fields.kind === 'run') found.push(readRun(record, file, streams, saved));
  }
  for (const [name, stream] of streams) for (const lost of findLost(name, stream, file)) found.push(lost);
  onCovered(span.covered('samples', file));
  return found;
}

function noteRecord(streams: Map<string, Stream>, { fields, line, at }: Read): void {
  const name = stringOf(fields.sampler) ?? '';
  const stream = streams.get(name) ?? {
    numbers: createGapFinder(),
    started: false,
    runs: undefined,
    timeoutMs: undefined,
  };
  streams.set(name, stream);
  if (fields.kind === 'start') {
    stream.started = true;
    stream.timeoutMs = numberOf(fields.timeoutMs);
    stream.numbers.add({ seq: 0, at, line });
  }
  if (fields.kind === 'stop') stream.runs = numberOf(fields.runs);
  const number = numberOf(fields.n);
  if (fields.kind === 'run' && number !== undefined) stream.numbers.add({ seq: number, at, line });
}

/** What is missing of one sampler: at its beginning, in between, at its end. */
function findLost(name: string, { numbers, started, runs }: Stream, file: string): Lost[] {
  const lost = numbers.findGaps('samples', file);
  const last = numbers.last();
  if (!started) lost.push(lostOf('samples', `the start of sampler ${name} is missing`, file));
  if (runs === undefined || (last?.seq ?? 0) < runs)
    lost.push(
      toTheEnd(
        lostOf(
          'samples',
          `sampler ${name} was cut short: its last runs are missing`,
          file,
          last?.at,
          last?.line,
        ),
      ),
    );
  return lost;
}

function readRun(
  { fields, line, at }: Read,
  file: string,
  streams: ReadonlyMap<string, Stream>,
  saved: SavedMeasures,
): SamplerRan {
  const sampler = stringOf(fields.sampler) ?? '';
  const printed = stringOf(fields.out) ?? '';
  const tookMs = (numberOf(fields.took) ?? 0) * 1000;
  const failed = describeFailure(fields, streams.get(sampler)?.timeoutMs);
  const { values, junk } = readNumbers(printed, saved);
  return {
    kind: 'sampler-ran',
    ...baseOf('samples', at, file, line, `${sampler}: ${printed.trim().replaceAll('\n', ', ')}`),
    sampler,
    tookMs,
    cgroup: stringOf(fields.cgroup) ?? '',
    values: failed === undefined && junk === undefined && !lostVictim(fields) ? values : {},
    problem: failed ?? junk,
  };
}

function describeFailure(fields: Fields, timeoutMs: number | undefined): string | undefined {
  const status = numberOf(fields.status);
  if (status === undefined) return 'nobody knows how it ended';
  if (fields.cut === true) return 'it printed too much';
  if (status === 0) return undefined;
  const hung = TIMED_OUT.includes(status) && timeoutMs !== undefined;
  if (lostVictim(fields) && !hung) return undefined;
  const said = quote((stringOf(fields.err) ?? '').trim().split('\n').at(-1) ?? '');
  const what = hung ? `it did not end within ${timeoutMs / 1000} s` : `it ended with status ${status}`;
  return said === '' ? what : `${what}: ${said}`;
}

/** Whether the victim ended while a script ran that failed: that is not a fault of the script, and its numbers are in doubt. */
function lostVictim({ victimEnded }: Fields): boolean {
  return victimEnded === true;
}

/** `<measure> <number>` a line; `junk`: the first thing that is anything else. */
function readNumbers(
  printed: string,
  saved: SavedMeasures,
): { values: SamplerRan['values']; junk: string | undefined } {
  const values: Partial<Record<string, number>> = {};
  for (const line of printed.split('\n').filter((text) => text.trim() !== '')) {
    const [, name = '', text = ''] = /^([\w-]+)[ \t]+(-?\d+(?:\.\d+)?)$/.exec(line.trim()) ?? [];
    if (text === '')
      return { values, junk: `it printed "${quote(line)}", which is not "<measure> <number>"` };
    const row = findSavedRow(name, saved);
    if (row === undefined) return { values, junk: `it printed "${quote(name)}", which is not a measure` };
    if (values[name] !== undefined) return { values, junk: `it printed ${name} twice` };
    const { least, most, from } = row;
    if (from !== 'sampler') return { values, junk: `it printed ${name}, which no sampler measures` };
    const value = Number(text);
    if (value < least || value > most)
      return { values, junk: `it printed ${name} ${quote(text)}, which is not between ${least} and ${most}` };
    values[name] = value;
  }
  return { values, junk: undefined };
}

function quote(text: string): string {
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
}
