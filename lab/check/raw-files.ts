/** The small readers of the checker: what a raw file says, and when its silence counts. They share no code with those of the judge. */

import type { Cited, Proof } from '../model/saved/proof.ts';
import tables from './tables.json' with { type: 'json' };

/** The lines of each saved file, by its path in the folder of the cell. */
export type Files = ReadonlyMap<string, readonly string[]>;
/** Texts by their name. */
export type Lists = Readonly<Record<string, readonly string[]>>;
/** One way to read a line: the kind of record, and its fields. */
export type RawFact = Readonly<Record<string, unknown>>;

/** What is at a path of an object; of several paths the first that has something. */
export function at(value: unknown, paths: string): unknown {
  const inside = (inner: unknown, name: string): unknown => (inner as RawFact | null | undefined)?.[name];
  const found = paths.split('|').map((path) => path.split('/').reduce(inside, value));
  return found.find((one) => one !== undefined && one !== null && one !== '');
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
export const dateIn = (value: unknown): number | undefined =>
  (typeof value === 'number' ? value : Date.parse(text(value))) || undefined;

export function parse(line: string | undefined): RawFact {
  try {
    return Object(JSON.parse(line ?? '')) as RawFact;
  } catch {
    return {}; // a line that cannot be read says nothing
  }
}

/** Fields of a record, each as `field=paths`, or as `field` where both are the same. */
function pick(json: unknown, fields: string): RawFact {
  const pairs = fields.split(' ').map((field) => field.split('='));
  return Object.fromEntries(pairs.map(([field = '', paths = field]) => [field, at(json, paths)]));
}

const KINDS = tables.kinds.map(({ pattern, ...kind }) => ({ ...kind, pattern: new RegExp(pattern) }));

/** The ways to read a line; none when it is not there. */
function read(files: Files, file: string, line = 0): readonly RawFact[] {
  const raw = files.get(file)?.[line - 1];
  const name = /(\w+)(?:\.\d)?\.\w+$/.exec(file)?.[1] ?? '';
  if (raw === undefined) return [];
  if (name === 'pods') return readPod(parse(raw));
  if (name === 'tasks') return readTask(raw);
  if (name === 'cell') return readStimuli(raw, files);
  // What a program writes into the kernel's log has another facility than the kernel's.
  const [, micros, said] = /^[0-7],\d+,(\d+),[^;]*;(.*)$/.exec(raw) ?? [];
  if (name === 'kmsg' && said === undefined) return [];
  const json = name === 'kmsg' ? { micros } : parse(raw);
  const { within = said, kind, ...seen } = pick(json, text(at(tables.fields, name)) || 'at');
  const words = Array.isArray(within) ? Buffer.from(within as number[]).toString() : text(within);
  const own = { ...seen, within: words, at: dateOf(files, file, json) };
  const boot = { at: own.at, kind: 'boot-ended', bootId: startOf(files, file).bootId };
  const ends = files.get(file)?.at(-1) === raw ? [boot] : [];
  if (name === 'witness') return [{ ...own, kind: at(tables.witness, text(kind)) ?? kind }, ...ends];
  const scope = /^Memory cgroup out|,oom_memcg=|^Task in /.test(words) ? 'memcg' : 'global';
  const fitting = KINDS.filter((told) => told.file === name && told.pattern.test(words));
  return fitting.map((told) => ({ ...own, scope, kind: told.kind, ...told.pattern.exec(words)?.groups }));
}

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
  const meant = own.flatMap(([path, lines]) =>
    lines.map((line, index) => (isMeant(line) ? read(files, path, index + 1) : [])),
  );
  return meant.flat();
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
      const code = /(?:xit_status:|ExitStatus:|exitCode=)(-?\d+)/.exec(within)?.[1] ?? '0';
      const { [field]: found = field === 'exitCode' ? code : undefined } = reading;
      // Without a witness nobody dates the log of the kernel.
      if (field === 'at') return !(Math.abs((dateIn(said) ?? 0) - Number(found)) >= 2);
      if (found !== undefined) return bare(found) === bare(said);
      const words = typeof said === 'number' ? within.split(/\D+/) : within;
      return words.includes(typeof said === 'number' ? `${said}` : plain(said));
    }),
  );
}

function readTask(raw: string): RawFact[] {
  const [, day, hour, topic, json] = /^(\S+) (\S+) \+0000 UTC \S+ \/tasks\/(\w+) (.*)$/.exec(raw) ?? [];
  const own = pick(parse(json), 'containerId=container_id pid exitCode=exit_status');
  return [{ ...own, kind: `runtime-${topic}`, at: dateIn(`${day}T${hour}Z`) }];
}

/** What the lab did, in its own record of the cell. */
function readStimuli(raw: string, files: Files): RawFact[] {
  const { stimuli } = parse(files.get('cell.json')?.join('\n'));
  const done = list(stimuli).filter((one) => raw.includes(JSON.stringify(at(one, 'detail'))));
  return done.map((one) => ({ ...pick(one, 'within=detail'), kind: 'stimulus', at: dateIn(at(one, 'at')) }));
}

/** A version of a pod has a reading for each state, present or last, of each of its containers. */
function readPod({ at: seenAt, object }: RawFact): RawFact[] {
  const asked = dateIn(at(object, 'metadata/deletionTimestamp'));
  const graceMs = Number(at(object, 'metadata/deletionGracePeriodSeconds') ?? 0) * 1000;
  const isTarget = (one: unknown): boolean =>
    at(one, 'type') === 'DisruptionTarget' && at(one, 'status') === 'True';
  const whole: RawFact = {
    ...pick(object, tables.fields.pods),
    kind: 'pod-seen',
    at: dateIn(seenAt),
    deletionAt: asked && new Date(asked - graceMs).toISOString(),
    disruption: at(list(at(object, 'status/conditions')).find(isTarget), 'reason'),
  };
  const readState = (one: unknown, when: string): RawFact[] =>
    Object.entries((at(one, when) ?? {}) as RawFact).map(([state, of]) => {
      const id = text(at(of, 'containerID') ?? (when === 'state' ? at(one, 'containerID') : ''));
      const own = { ...whole, ...pick(one, 'name'), ...pick(of, 'exitCode startedAt'), state };
      return { ...own, reason: whole.reason ?? at(of, 'reason'), containerId: id.replace(/^.*:\/\//, '') };
    });
  const of = 'containerStatuses initContainerStatuses ephemeralContainerStatuses'.split(' ');
  const containers = of.flatMap((name) => list(at(object, `status/${name}`)));
  const states = containers.flatMap((one) => [...readState(one, 'state'), ...readState(one, 'lastState')]);
  return [...states, whole];
}

/** The victim, as raw lines name it, and its life. */
type Victim = Readonly<{ ids: string[]; node: string | undefined; startedAt: number; endedAt: number }>;
type Silence = Pick<Proof['silences'][number], 'source' | 'to'> & { readonly files?: string[] };

/** A time of the API is cut to seconds, and clocks differ. */
const API_MS = 2000;
const has = (words: string, line: string): boolean => new RegExp(words).test(line);

/** Whether a number is missing; a line without one continues another. */
function isBroken(lines: readonly string[]): boolean {
  const numbers = lines.flatMap((line) => (/(?<=^\d+,|"seq":)\d+/.exec(line) ?? []).map(Number));
  return new Set(numbers).size !== Math.max(...numbers) - Math.min(...numbers) + 1;
}

/** Why the silence of a source proves nothing; undefined when it is earned (docs/verdicts.md, "Silence"). */
export function findGap(silence: Silence, files: Files, victim: Victim): string | undefined {
  const [{ ids, node, endedAt }, { source }] = [victim, silence];
  const startedAt = victim.startedAt || Infinity;
  const cell = parse(files.get('cell.json')?.join('\n'));
  const beganAt = dateIn(cell.startedAt) ?? 0;
  const lost = list(cell.lost).filter((one) => isOf(source, `${text(at(one, 'source'))}.`));
  const isOwn = (path: string): boolean => !path.includes('/') || path.startsWith(`${node}/`);
  const meant = [...files.keys()].filter((path) => isOf(source, path) && isOwn(path)).sort();
  const { files: named = meant } = silence;
  const parts = named.map((file) => files.get(file) ?? []);
  const [all, last] = [parts.flat(), parts.at(-1)?.at(-1) ?? ''];
  // Of the services only those that said something have a file.
  const isUnwritten = source === 'system' && ![...files.keys()].some((file) => file.includes('system.'));
  const timeOf = (file = '', line = 1): number => Number(read(files, file, line)[0]?.at ?? 0);
  const firstAt = timeOf(named[0]);
  const lastAt = timeOf(named.at(-1), parts.at(-1)?.length);
  const own = all.filter((line) => ids.some((id) => line.includes(id)));
  const versions = linesOn(files, 'events', ids).filter(({ actor }) => actor === 'kubelet');
  const counts = new Map(versions.map(({ event, count = 1 }) => [event, Number(count)]));
  const occurred = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const found: Readonly<Record<string, boolean>> = {
    'it is lost': lost.some((one) => (dateIn(at(one, 'from')) ?? 0) <= Date.parse(silence.to)),
    'it was not saved': (!isUnwritten && all.length === 0) || parts.some((part) => part.join('') === ''),
    'it is of another node, or a part is left out': meant.join() !== named.toSorted().join(),
    'a record is missing': parts.some(isBroken),
    'it was not read to its end': !last.endsWith(text(cell.kmsgEnd)),
    'it begins after the cell': firstAt > beganAt,
    'it begins after the container': firstAt > startedAt + API_MS,
    'it begins after container and cell': firstAt > Math.max(startedAt, beganAt) + API_MS,
    'it ends before the container': lastAt < endedAt - API_MS,
    'it says nothing of the end': !own.some((line) => endedAt === 0 || has(tables.words.end, line)),
    'it does not have the start': firstAt > startedAt && !own.some((line) => has(tables.words.made, line)),
    // So many of one object pass the spam filter of client-go at once; that it lets one through in five minutes is left out.
    'the kubelet may have dropped some': occurred >= 25,
  };
  const places: Lists = { all, own, last: [last], first: parts.map(([line = '']) => line) };
  const isTold = ({ among = '', words = '' }): boolean =>
    places[among]?.some((line) => has(words, line)) === true;
  const gaps = tables.gaps.filter(({ sources }) => sources.length === 0 || sources.includes(source));
  return gaps.find(({ why, told, lacked }) => found[why] ?? (lacked ? !isTold(lacked) : isTold(told ?? {})))
    ?.why;
}
