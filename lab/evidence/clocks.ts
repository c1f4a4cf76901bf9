import type { EvidenceSource, Lost } from '../model/evidence/observation.ts';
import type { DateEntry, EntryTimes } from './journal.ts';
import { linesOf, lostOf, toTheEnd, type EvidenceText } from './lines.ts';
import { isStepped, wallOf, type ClockPair, type ToWall } from './wall-time.ts';
import type { WitnessReport } from './witness.ts';
import { smallest } from '../model/text/extremes.ts';

/** How the wall clock of a node relates to the monotonic clock of each of its boots. */
export interface NodeClocks {
  /** Dates a time by the monotonic clock, which nobody steps; without one, by the wall clock. */
  readonly date: DateEntry;
  /** The same for the entries of one journal, whose clocks are noted on the way. */
  readonly dateEntriesOf: (journal: JournalFile) => DateEntry;
  /**
   * The clocks of the boot whose part of the kernel log has this number; undefined when no record has both clocks of
   * one moment. It counts the boots in the journals: ask after all of them were read.
   *
   * @param kernelParts how many boots the kernel log was read in.
   */
  readonly ofPart: (part: number, kernelParts: number) => ToWall | undefined;
  /** What cannot be compared any more, because somebody stepped the wall clock. Ask after all journals were read. */
  readonly findLost: () => readonly Lost[];
}

/** A saved journal of the node. */
export interface JournalFile {
  readonly source: EvidenceSource;
  readonly path: string;
  readonly content: EvidenceText;
}

/** The clocks of one boot, by one journal. */
interface BootClock {
  readonly first: ClockPair;
  readonly toWall: ToWall;
  /** The first entry with another wall clock than the first one of all. */
  stepped: ClockPair | undefined;
}

/** The clocks of each boot, by its id as a journal spells it: 32 hexadecimal digits. */
type BootClocks = Map<string, BootClock>;

/**
 * Relates the clocks of one node. The first record with both clocks of a boot decides: of the witness, else of the
 * journals, which begin with the cell, when the wall clock is right. An entry with another wall clock shows that
 * somebody stepped it.
 *
 * Whoever reads the journals notes their clocks on the way. Only for a boot that the witness does not know are they
 * read ahead.
 *
 * @param reports of the witness, by the number of their part.
 */
export function relateClocks(
  node: string,
  reports: ReadonlyMap<number, WitnessReport>,
  journals: readonly JournalFile[],
): NodeClocks {
  const noted = new Map<JournalFile, BootClocks>();
  const witnessed = new Map<string, ToWall>();
  for (const { bootId, toWall } of reports.values())
    if (toWall !== undefined) witnessed.set(bootId.replaceAll('-', ''), toWall);
  let readAhead: ReadonlyMap<string, ToWall> | undefined;
  const clockOf = (boot: string): ToWall | undefined => {
    const known = witnessed.get(boot);
    if (known !== undefined || boot === '') return known;
    readAhead ??= readFirsts(journals);
    return readAhead.get(boot);
  };
  const date: DateEntry = ({ at, monoMicros, bootId }) =>
    (monoMicros === undefined ? undefined : clockOf(bootId)?.(monoMicros)) ?? at;
  return {
    date,
    dateEntriesOf: (journal) => {
      const clocks: BootClocks = new Map();
      noted.set(journal, clocks);
      return (times) => {
        noteClock(clocks, times);
        return date(times);
      };
    },
    ofPart: (part, kernelParts) => {
      const boots = longestOf([...noted.values()]);
      const boot = boots.length === kernelParts ? boots[part - 1] : undefined;
      return reports.get(part)?.toWall ?? (boot === undefined ? undefined : clockOf(boot));
    },
    findLost: () => findLost(node, noted, findStep(reports, [...noted.values()], clockOf)),
  };
}

/** The boots of the journal that has the most. */
function longestOf(noted: readonly BootClocks[]): string[] {
  return noted
    .map((boots) => [...boots.keys()])
    .reduce((longest, boots) => (boots.length > longest.length ? boots : longest), []);
}

function noteClock(clocks: BootClocks, { at, monoMicros, bootId }: EntryTimes): void {
  if (at === undefined || monoMicros === undefined || bootId === '') return;
  const pair = { wallMs: at, monoMicros };
  const known = clocks.get(bootId);
  if (known === undefined) clocks.set(bootId, { first: pair, toWall: wallOf(pair), stepped: undefined });
  else if (known.stepped === undefined && isStepped(pair, known.toWall)) known.stepped = pair;
}

const MONOTONIC = /"__MONOTONIC_TIMESTAMP" ?: ?"(\d+)"/;
const REALTIME = /"__REALTIME_TIMESTAMP" ?: ?"(\d+)"/;
const BOOT = /"_BOOT_ID" ?: ?"([0-9a-f]{32})"/;

/** The wall clock of each boot by the first entry of all journals. */
function readFirsts(journals: readonly JournalFile[]): Map<string, ToWall> {
  const firsts = new Map<string, ClockPair>();
  for (const { content } of journals)
    for (const { text } of linesOf(content)) {
      const [mono, wall, boot] = [MONOTONIC, REALTIME, BOOT].map((field) => field.exec(text)?.[1]);
      if (mono === undefined || wall === undefined || boot === undefined) continue;
      const pair = { wallMs: Number(wall) / 1000, monoMicros: Number(mono) };
      if (pair.monoMicros < (firsts.get(boot)?.monoMicros ?? Infinity)) firsts.set(boot, pair);
    }
  return new Map([...firsts].map(([boot, pair]) => [boot, wallOf(pair)]));
}

/** When somebody was first seen to have stepped the wall clock; undefined when nobody was. */
function findStep(
  reports: ReadonlyMap<number, WitnessReport>,
  noted: readonly BootClocks[],
  clockOf: (boot: string) => ToWall | undefined,
): number | undefined {
  const times = noted.flatMap((boots) =>
    [...boots].flatMap(([boot, { first, stepped }]) => {
      const toWall = clockOf(boot);
      if (toWall === undefined) return [];
      return [first, stepped].flatMap((pair) =>
        pair !== undefined && isStepped(pair, toWall) ? [toWall(pair.monoMicros)] : [],
      );
    }),
  );
  for (const { steppedAt } of reports.values()) if (steppedAt !== undefined) times.push(steppedAt);
  return times.length === 0 ? undefined : smallest(times);
}

/** After a step, what only the wall clock dated cannot be compared with anything else. */
function findLost(node: string, noted: ReadonlyMap<JournalFile, BootClocks>, at: number | undefined): Lost[] {
  if (at === undefined) return [];
  const why = 'the wall clock of the node was stepped: from then on this tells other times than before';
  const dated: readonly (readonly [EvidenceSource, string])[] = [
    ['pods', 'pods.jsonl'],
    ['events', 'events.jsonl'],
    ...[...noted]
      .filter(([, boots]) => boots.size === 0)
      .map(([{ source, path }]) => [source, path] as const),
  ];
  return dated.map(([source, path]) => ({ ...toTheEnd(lostOf(source, why, path, at)), node }));
}
