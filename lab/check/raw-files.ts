/** The small readers of the checker: what a raw file says, and when its silence counts. They share no code with those of the judge. */

import type { Cited, Proof } from '../model/saved/proof.ts';
import { fitting, join } from './match-tables.ts';
import tables from './tables.json' with { type: 'json' };

/** The lines of each saved file, by its path in the folder of the cell. */
export type Files = ReadonlyMap<string, readonly string[]>;
/** One way to read a line: the kind of record, and its fields. */
export type RawFact = Readonly<Record<string, unknown>>;

/** What is at a path of an object; of several paths the first that has something. Of conditions it is the true one of that type. */
export function at(value: unknown, paths: string): unknown {
  const inside = (inner: unknown, name: string): unknown =>
    list(inner).find((one) => at(one, 'type') === name && at(one, 'status') === 'True') ??
    (inner as RawFact | null | undefined)?.[name];
  const found = paths.split('|').map((path) => path.split('/').reduce(inside, value));
  return found.find((one) => one !== undefined && one !== null && one !== '');
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
export const dateIn = (value: unknown): number | undefined =>
  (typeof value === 'number' ? value : Date.parse(text(value))) || undefined;

function parse(line: string | undefined): RawFact {
  try {
    return Object(JSON.parse(line ?? '')) as RawFact;
  } catch {
    return {}; // a line that cannot be read says nothing
  }
}

/** Fields of a record, each as `field=paths`, or as `field` where both are the same. An id is without the name of its runtime. */
function pick(record: unknown, fields: string): RawFact {
  const bare = (value: unknown): unknown => text(value).replace(/^[\w-]+:\/\/(?=[0-9a-f]+$)/, '') || value;
  const pairs = fields.split(' ').map((field) => field.split('='));
  return Object.fromEntries(pairs.map(([field = '', paths = field]) => [field, bare(at(record, paths))]));
}

const KINDS = tables.kinds.map(({ pattern, ...kind }) => ({ ...kind, pattern: new RegExp(pattern) }));

/** The ways to read a line; none when it is not there. */
function read(files: Files, file: string, line = 0): readonly RawFact[] {
  const raw = files.get(file)?.[line - 1];
  const name = /(\w+)(?:\.\d)?\.\w+$/.exec(file)?.[1] ?? '';
  const isLast = name === 'witness' && files.get(file)?.at(-1) === raw;
  const records = raw === undefined ? [] : recordsIn(raw, name, files);
  return records.flatMap((record) => {
    const { within, ...seen } = pick(record, text(at(tables.fields, name)));
    const words = Array.isArray(within) ? Buffer.from(within as number[]).toString() : text(within);
    const scope = /^Memory cgroup out|,oom_memcg=|^Task in /.test(words) ? 'memcg' : 'global';
    const own = { ...seen, within: words, scope, at: dateOf(files, file, record) };
    const kinds = KINDS.filter((kind) => kind.file === name && kind.pattern.test(words));
    const told = kinds.map(({ kind, pattern }) => ({ ...own, kind, ...pattern.exec(words)?.groups }));
    return isLast ? [...told, { at: own.at, kind: 'boot-ended', bootId: startOf(files, file).bootId }] : told;
  });
}

/** What is in a line: a record, as a rule. */
function recordsIn(raw: string, name: string, files: Files): RawFact[] {
  // What the lab did is in its own record of the cell.
  const isDone = (one: unknown): boolean => raw.includes(JSON.stringify(at(one, 'detail')));
  if (name === 'cell') return list(cellOf(files).stimuli).filter(isDone) as RawFact[];
  // What a program writes into the kernel's log has another facility than the kernel's.
  const found = new RegExp(text(at(tables.lines, name)) || '^(?<json>[^]*)$').exec(raw)?.groups;
  const record = { ...parse(found?.json), ...found };
  if (name !== 'pods') return found ? [record] : [];
  const asked = dateIn(at(record, 'object/metadata/deletionTimestamp'));
  const graceMs = Number(at(record, 'object/metadata/deletionGracePeriodSeconds') ?? 0) * 1000;
  const pod = { ...record, deletionAt: asked && new Date(asked - graceMs).toISOString() };
  // A version of a pod has a reading for each state of its containers. The id is that of the present one, if no state has one.
  const present = tables.statuses.flatMap((path) => list(at(record, path)));
  const last = present.map((one) => ({ name: at(one, 'name'), state: at(one, 'lastState') }));
  const states = [...present, ...last].flatMap((of) =>
    Object.entries(Object(at(of, 'state')) as RawFact).map(([state, seen]) => ({ ...pod, of, state, seen })),
  );
  return [...states, pod];
}

/** The lab's own record of the cell. */
export const cellOf = (files: Files): RawFact => parse(files.get('cell.json')?.join('\n'));

/** The first record of the witness of a boot has both clocks at one moment. */
function startOf(files: Files, file: string, part = /\.\d(?=\.)/.exec(file)?.[0] ?? ''): RawFact {
  const lines = files.get(file.replace(/[^/]*$/, `witness${part}.jsonl`));
  return parse(lines?.find((line) => line.includes('"bootId"')));
}

/** A monotonic clock dates a record if the witness saw its boot, else the wall clock. */
function dateOf(files: Files, file: string, json: RawFact): number | undefined {
  const boot = json._BOOT_ID;
  const isOwn = ({ bootId }: RawFact): boolean => !boot || text(bootId).replaceAll('-', '') === boot;
  const start = [undefined, '', '.2', '.3', '.4'].map((part) => startOf(files, file, part)).find(isOwn);
  const mono = at(json, 'micros|mono') ?? (boot && json.__MONOTONIC_TIMESTAMP);
  if (start?.mono === undefined || mono === undefined)
    return dateIn(at(json, tables.dates)) ?? Number(json.__REALTIME_TIMESTAMP) / 1000;
  return Number(start.at) + (Number(mono) - Number(start.mono)) / 1000;
}

/** All that the lines of a source say which have one of some words. */
export function linesOn(files: Files, source: string, words: readonly string[]): RawFact[] {
  const isMeant = (line: string): boolean => words.some((word) => line.includes(word));
  const own = [...files].filter(([path]) => isOf(source, path));
  return own.flatMap(([path, lines]) =>
    lines.flatMap((line, index) => (isMeant(line) ? read(files, path, index + 1) : [])),
  );
}

/** Whether a file is one of a source. The witness is two of them. */
const isOf = (source: string, path: string): boolean =>
  path.replace(/^.*\//, '').startsWith(`${source.replace(/^(?:trace|cgroup)$/, 'witness')}.`);

/** Whether a line of a raw file says all that it is taken to say. */
export function isSaid({ file, line, says }: Cited, files: Files): boolean {
  const bare = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');
  const plain = (value: unknown): string => text(value).replaceAll(/["\\]/g, '');
  return read(files, file, line).some((reading) =>
    Object.entries(says).every(([field, said]) => {
      const within = plain(reading.within);
      const { [field]: found = field === 'exitCode' ? 0 : undefined } = reading;
      // Without a witness nobody dates the log of the kernel.
      if (field === 'at') return !(Math.abs((dateIn(said) ?? 0) - Number(found)) >= 2);
      if (found !== undefined) return bare(found) === bare(said);
      const words = typeof said === 'number' ? within.split(/\D+/) : within;
      return words.includes(typeof said === 'number' ? `${said}` : plain(said));
    }),
  );
}

/** The victim, as raw lines name it, and its life. */
type Life = Readonly<{ files: Files; cell: RawFact; names: string[]; startedAt: number; overAt: number }>;
type Silence = Pick<Proof['silences'][number], 'source' | 'to'> & { readonly files?: string[] };

/** A time of the API is cut to seconds, and clocks differ. */
const API_MS = 2000;

/** Whether a number is missing; a line without one continues another. */
function isBroken(lines: readonly string[]): boolean {
  const numbers = lines.flatMap((line) => (/(?<=^\d+,|"seq":)\d+/.exec(line) ?? []).map(Number));
  return new Set(numbers).size !== Math.max(...numbers) - Math.min(...numbers) + 1;
}

/** Why the silence of a source proves nothing; undefined when it is earned (docs/verdicts.md, "Silence"). */
export function findGap(silence: Silence, life: Life & Pick<Proof, 'victim'>): string | undefined {
  const [{ files, cell, names, victim, overAt }, { source }] = [life, silence];
  const startedAt = life.startedAt || Infinity;
  const lost = list(cell.lost).filter((one) => isOf(source, `${text(at(one, 'source'))}.`));
  const isOwn = (path: string): boolean => !path.includes('/') || path.startsWith(`${victim.node}/`);
  const meant = [...files.keys()].filter((path) => isOf(source, path) && isOwn(path)).sort();
  const { files: named = meant } = silence;
  const parts = named.map((file) => files.get(file) ?? []);
  const [all, last] = [parts.flat(), parts.at(-1)?.at(-1) ?? ''];
  const timeOf = (file = '', line = 1): number => Number(read(files, file, line)[0]?.at ?? 0);
  const firstAt = timeOf(named[0]);
  const versions = linesOn(files, 'events', names).filter(({ actor }) => actor === 'kubelet');
  const counts = new Map(versions.map(({ event, count = 1 }) => [event, Number(count)]));
  const told = join(source, {
    'is lost': lost.some((one) => (dateIn(at(one, 'from')) ?? 0) <= Date.parse(silence.to)),
    // Of the services only those that said something have a file.
    'no node has it': ![...files.keys()].some((path) => isOf(source, path)),
    'has no line': all.length === 0,
    'has an empty part': parts.some((part) => part.join('') === ''),
    'has other files': meant.join() !== named.toSorted().join(),
    'lacks a number': parts.some(isBroken),
    'lacks the last record of the lab': !last.endsWith(text(cell.kmsgEnd)),
    'begins after the start': firstAt > startedAt,
    'begins after the container': firstAt > startedAt + API_MS,
    'begins after the cell': firstAt > (dateIn(cell.startedAt) ?? 0),
    'ends before the container': timeOf(named.at(-1), parts.at(-1)?.length) < overAt - API_MS,
    'is over': overAt > 0,
    // So many of one object pass the spam filter of client-go at once; that it lets one through in five minutes is left out.
    'has 25 events or more': [...counts.values()].reduce((sum, count) => sum + count, 0) >= 25,
  });
  const placeOf = (line: string): string => (names.some((name) => line.includes(name)) ? 'own' : 'other');
  const first = parts.map(([line = '']) => `first ${line}`);
  const lines = [...first, `last ${last}`, ...all.map((line) => `${placeOf(line)} ${line}`)];
  return fitting('gaps', [told, ...lines].join('\n'))[0];
}
