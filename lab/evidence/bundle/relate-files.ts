import { largest, smallest } from '../../model/text/extremes.ts';
import type { ClockOfSource } from '../../model/evidence/source.ts';
import {
  bootStepsOf,
  createClock,
  findZone,
  QUARTER_MS,
  zonesOf,
  type BootStep,
  type FileClock,
  type Zone,
} from './clock.ts';
import { isOfEndedBoot, isSinceBoot, lastBootOf, type CollectedFile, type Kept } from './collected.ts';
import { localOf } from './notes.ts';
import { livesOf, momentOf } from './containers.ts';
import { byLives } from './lives-of-lines.ts';
import { yearOf, zonesByName, type ClockOptions } from './zones.ts';

/** The clocks of the files of one node, and what is wrong with them. */
export interface RelatedFiles {
  readonly clockOf: (file: CollectedFile) => FileClock;
  readonly problems: readonly string[];
}

type Clocks = Map<CollectedFile, FileClock>;
type Boots = ReadonlyMap<number, readonly BootStep[]>;
const NO_BOOTS: Boots = new Map();
const NONE: FileClock = createClock('unknown', [], NO_BOOTS);
/** Times of one line in two files are further apart than this only when one of the files is misread. */
const APART_MS = 60_000;
/** The API cuts times to seconds. */
const CUT_MS = 1_000;

/**
 * Places the files of one node on one clock: those whose lines say year and zone, then those with lines of two clocks, then by lines
 * that are in several files, by the time of the boot, and by the same containers. What nothing tells has no time.
 *
 * @param cluster files of the whole cluster, whose objects are dated.
 */
export function relateFiles(
  files: readonly CollectedFile[],
  cluster: readonly CollectedFile[],
  options: ClockOptions,
): RelatedFiles {
  const clocks: Clocks = new Map();
  const problems: string[] = [];
  const settle = (file: CollectedFile, found: FileClock | undefined): void => {
    if (found !== undefined && !clocks.has(file)) clocks.set(file, found);
  };
  for (const file of files) {
    if (!isOfEndedBoot(file)) continue;
    // Not by lines that are in others as well: each boot of a machine begins with the same ones.
    settle(file, NONE);
    problems.push(
      `${file.path}: it is of a boot that ended in a crash, and nothing tells when its lines were written`,
    );
  }
  for (const file of files) settle(file, byItself(file, options));
  const join = (): void => {
    for (const file of files) if (!clocks.has(file)) settle(file, bySameLines(file, clocks));
  };
  join();
  for (const file of files) if (!clocks.has(file)) settle(file, byBootTime(file, files, clocks));
  join();
  const lives = livesOf([...cluster, ...files]);
  noteMoments(files, clocks, lives);
  for (const file of files) if (!clocks.has(file)) settle(file, byContainers(file, lives));
  join();
  noteMoments(files, clocks, lives);
  for (const file of files)
    if (!clocks.has(file)) settle(file, byNode(file, clocks, [...cluster, ...files], options));
  join();
  for (const file of files) if (!clocks.has(file)) settle(file, byLives(file, lives));
  // What else dates a boot was not found: at least these lines are between two times.
  for (const file of files) if (!clocks.has(file)) settle(file, betweenContainers(file, lives));
  for (const file of files)
    if (!clocks.has(file) && file.first !== undefined)
      problems.push(
        `${file.path}: nothing tells when its lines were written: say --timezone${isYearless(file) ? ' and --year' : ''}`,
      );
  for (const problem of findApart(files, clocks)) problems.push(problem);
  return { clockOf: (file) => clocks.get(file) ?? NONE, problems };
}

function isYearless({ last }: CollectedFile): boolean {
  return last !== undefined && localOf(last.entry)?.hasYear === false;
}

/** The clock of a file by its own lines, or by what a person said. */
function byItself(file: CollectedFile, { timezone, year }: ClockOptions): FileClock | undefined {
  if (file.first === undefined) return createClock('written', [], NO_BOOTS);
  const boots = bootsOf(
    file.anchors.flatMap(({ bootMicros, ...anchor }) =>
      bootMicros === undefined ? [] : { ...anchor, bootMicros },
    ),
  );
  const found = zonesOf(file.anchors);
  if (file.isWritten) return createClock('written', found, boots);
  if (timezone !== undefined) {
    const known = year ?? yearAtEnd(found, file);
    const given = zonesByName(file, timezone, known);
    if (given.length > 0) return createClock('given', given, boots);
  }
  return found.length === 0 ? undefined : createClock('two-clocks', found, boots);
}

function yearAtEnd(zones: readonly Zone[], file: CollectedFile): number | undefined {
  const last = zones.at(-1);
  return last && last.year + (file.last?.turns ?? 0);
}

/** The wall clock at each boot of a file. */
function bootsOf(
  moments: readonly { boot: number; wallMs: number; bootMicros: number; cutMs: number }[],
): Boots {
  const boots = new Map<number, readonly BootStep[]>();
  for (const boot of new Set(moments.map((moment) => moment.boot))) {
    const found = bootStepsOf(moments.filter((moment) => moment.boot === boot));
    if (found.length > 0) boots.set(boot, found);
  }
  return boots;
}

/** The clock of a kernel log by lines that a dated file has too. */
function bySameLines(file: CollectedFile, clocks: Clocks): FileClock | undefined {
  for (const [other, clock] of clocks) {
    const pairs = sameLines(file, other).flatMap(([own, twin]) => {
      // Each boot of a machine begins with the same lines, and only of the last one is it known which it is.
      if (isOfEndedBoot(file, own.boot)) return [];
      const { at, cutMs } = clock.date(twin);
      return at === undefined ? [] : [{ own, at, cutMs }];
    });
    if (pairs.length === 0) continue;
    const found = clockByPairs(pairs);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Pair = { readonly own: Kept; readonly at: number; readonly cutMs: number };

function clockByPairs(pairs: readonly Pair[]): FileClock | undefined {
  const zones = pairs.flatMap(({ own, at }) => {
    const local = localOf(own.entry);
    return local === undefined ? [] : (findZone(local, at, own.turns, own.entry.line) ?? []);
  });
  const [zone] = zones;
  if (zone !== undefined) return isOne(zones) ? createClock('same-lines', [zone], NO_BOOTS) : undefined;
  const boots = bootsOf(
    pairs.flatMap(({ own: { entry, boot }, at, cutMs }) =>
      entry.kind === 'kernel' && entry.stamp.bootMicros !== undefined
        ? [{ boot, wallMs: at, bootMicros: entry.stamp.bootMicros, cutMs }]
        : [],
    ),
  );
  return boots.size === 0 ? undefined : createClock('same-lines', [], boots);
}

function isOne(zones: readonly Zone[]): boolean {
  return new Set(zones.map(({ shiftMs, year }) => `${shiftMs} ${year}`)).size === 1;
}

/** Lines that are in both kernel logs, in each once. */
function sameLines(one: CollectedFile, other: CollectedFile): (readonly [Kept, Kept])[] {
  const found: (readonly [Kept, Kept])[] = [];
  for (const [text, own] of one.texts) {
    const twin = other.texts.get(text);
    if (own !== undefined && twin !== undefined) found.push([own, twin]);
  }
  return found;
}

/** The clock of a kernel log by the boot time of its node, or by a journal that has both clocks of one boot. */
function byBootTime(
  file: CollectedFile,
  files: readonly CollectedFile[],
  clocks: Clocks,
): FileClock | undefined {
  if (!isSinceBoot(file)) return undefined;
  const said = files.flatMap(({ kept }) =>
    kept.flatMap(({ entry }) => (entry.kind === 'clock' ? entry : [])),
  );
  const known = [...clocks.keys()].flatMap(({ anchors }) =>
    anchors.flatMap(({ bootMicros, wallMs, cutMs }) =>
      bootMicros === undefined ? [] : { bootMicros, wallMs, cutMs },
    ),
  );
  const moments = known.length > 0 ? known : said;
  const starts = moments.map(({ wallMs, bootMicros }) => wallMs - bootMicros / 1000);
  // Of several boots nothing says which one the log is of.
  if (starts.length === 0 || largest(starts) - smallest(starts) > APART_MS) return undefined;
  const found = bootStepsOf(moments);
  return createClock('boot-time', [], new Map([[lastBootOf(file), found]]));
}

/** Adds when containers started and ended by logs that are dated. */
function noteMoments(files: readonly CollectedFile[], clocks: Clocks, lives: Map<string, number>): void {
  for (const file of files) {
    const clock = clocks.get(file);
    for (const one of clock === undefined ? [] : file.kept) {
      if (one.role !== 'containerd') continue;
      const moment = momentOf(one);
      const at = moment && clock?.date(one).at;
      if (moment === undefined || at === undefined) continue;
      const key = `${moment.id} ${moment.what}`;
      if (!lives.has(key)) lives.set(key, at);
    }
  }
}

/** The zone in which a log tells of starts and ends of containers when they were. */
function byContainers(file: CollectedFile, lives: ReadonlyMap<string, number>): FileClock | undefined {
  const zones = file.kept.flatMap((one) => {
    const moment = localOf(one.entry) && momentOf(one);
    const local = localOf(one.entry);
    const at = moment && lives.get(`${moment.id} ${moment.what}`);
    if (moment === undefined || local === undefined || at === undefined) return [];
    const middleMs = (moment.lateMs - moment.earlyMs) / 2;
    const zone = findZone(local, at + middleMs, one.turns, one.entry.line);
    if (zone === undefined) return [];
    const year = zone.year + (local.hasYear ? 0 : one.turns);
    const lateMs = dateIn(local.ms, local.hasYear, year) + zone.shiftMs - at;
    return lateMs >= -moment.earlyMs && lateMs <= moment.lateMs ? [zone] : [];
  });
  const [zone] = zones;
  return zone !== undefined && isOne(zones) ? createClock('containers', [zone], NO_BOOTS) : undefined;
}

function dateIn(ms: number, hasYear: boolean, year: number): number {
  const at = new Date(ms);
  if (!hasYear) at.setUTCFullYear(year);
  return at.getTime();
}

/**
 * The lines of a kernel log without a wall clock are between times that the lives of containers give: the kernel killed a process of
 * one while it lived, and nothing tells that this was its end.
 */
function betweenContainers(file: CollectedFile, lives: ReadonlyMap<string, number>): FileClock | undefined {
  if (!isSinceBoot(file)) return undefined;
  let [earliest, latest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const one of file.kept) {
    const moment = one.boot === lastBootOf(file) ? momentOf(one) : undefined;
    const ended = moment && lives.get(`${moment.id} ended`);
    const started = moment && lives.get(`${moment.id} started`);
    if (ended === undefined || started === undefined || one.entry.kind !== 'kernel') continue;
    const sinceMs = (one.entry.stamp.bootMicros ?? 0) / 1000;
    // An end is noticed after the kill, and the API cuts it to seconds.
    earliest = Math.max(earliest, started - CUT_MS - sinceMs);
    latest = Math.min(latest, ended + CUT_MS - sinceMs);
  }
  if (!Number.isFinite(earliest) || earliest > latest) return undefined;
  const start: BootStep = { fromMicros: 0, wallMs: latest, cutMs: 0, earlierMs: latest - earliest };
  return createClock('containers', [], new Map([[lastBootOf(file), [start]]]));
}

/** One node has one zone: that of its other files, where they agree. */
function byNode(
  file: CollectedFile,
  clocks: Clocks,
  files: readonly CollectedFile[],
  { year }: ClockOptions,
): FileClock | undefined {
  const zones = [...clocks.values()].flatMap((clock) => clock.zones.at(-1) ?? []);
  const [zone] = zones;
  const local = file.last && localOf(file.last.entry);
  if (zone === undefined || local === undefined || file.last === undefined) return undefined;
  if (zones.some(({ shiftMs }) => shiftMs !== zone.shiftMs)) return undefined;
  const at = year ?? yearOf(file, zone.shiftMs, windowOf(files, clocks));
  if (at === undefined) return undefined;
  const how: ClockOfSource = year === undefined ? 'node' : 'given';
  return createClock(how, [{ line: 1, shiftMs: zone.shiftMs, year: at - file.last.turns }], NO_BOOTS);
}

/** From when to when anything is dated. */
function windowOf(files: readonly CollectedFile[], clocks: Clocks): readonly [number, number] | undefined {
  const times = files.flatMap((file) => {
    const ends = [file.first, file.last].flatMap((one) => (one && clocks.get(file)?.date(one).at) ?? []);
    for (const { entry } of file.kept)
      if (entry.kind === 'object' && entry.at !== undefined) ends.push(entry.at);
    return ends;
  });
  return times.length === 0 ? undefined : [smallest(times), largest(times)];
}

/** Files that have the same lines at other times: their clocks are hours apart, or one was misread. */
function findApart(files: readonly CollectedFile[], clocks: Clocks): string[] {
  return files.flatMap((one, index) =>
    files.slice(index + 1).flatMap((other) => {
      const [first] = sameLines(one, other);
      const ownAt = first && clocks.get(one)?.date(first[0]).at;
      const twinAt = first && clocks.get(other)?.date(first[1]).at;
      if (ownAt === undefined || twinAt === undefined || Math.abs(ownAt - twinAt) <= APART_MS) return [];
      const quarters = Math.round(Math.abs(ownAt - twinAt) / QUARTER_MS) / 4;
      return [`${one.path} and ${other.path} have the same lines at times that are ${quarters} hours apart`];
    }),
  );
}
