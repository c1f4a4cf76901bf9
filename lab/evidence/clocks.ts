import type { EvidenceSource, Lost } from '../model/observation.ts';
import type { DateEntry } from './journal.ts';
import { linesOf, lostOf, toTheEnd, type EvidenceText } from './lines.ts';
import { isStepped, wallOf, type ClockPair, type ToWall } from './wall-time.ts';
import type { WitnessReport } from './witness.ts';

/** How the wall clock of a node relates to the monotonic clock of each of its boots. */
export interface NodeClocks {
  /**
   * Of the boot whose part of the kernel log has this number; undefined when no record has both clocks of one moment.
   */
  readonly ofPart: (part: number) => ToWall | undefined;
  /** Dates an entry of a journal by the monotonic clock, which nobody steps; without one, by the entry's own time. */
  readonly dateEntry: DateEntry;
  /** What cannot be compared any more, because somebody stepped the wall clock. */
  readonly lost: readonly Lost[];
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
  /** The first entry with another wall clock than the first one of all. */
  stepped: ClockPair | undefined;
}

/** A journal and its clocks, by boot as the journal spells it: 32 hexadecimal digits. */
type ReadJournal = JournalFile & { readonly boots: ReadonlyMap<string, BootClock> };

/**
 * Reads the clocks of one node. The first record with both clocks of a boot decides: of the witness, else of the
 * journals, which begin with the cell, when the wall clock is right. An entry with another wall clock shows that
 * somebody stepped it.
 *
 * @param reports of the witness, by the number of their part.
 * @param kernelParts how many boots the kernel log was read in.
 */
export function readClocks(
  node: string,
  reports: ReadonlyMap<number, WitnessReport>,
  journals: readonly JournalFile[],
  kernelParts: number,
): NodeClocks {
  const read = journals.map((each): ReadJournal => ({ ...each, boots: readBoots(each.content) }));
  const boots = read
    .map((each) => [...each.boots.keys()])
    .reduce((longest, each) => (each.length > longest.length ? each : longest), []);
  const clocks = new Map(boots.map((boot) => [boot, wallOf(firstOf(read, boot))]));
  for (const { bootId, toWall } of reports.values())
    if (toWall !== undefined) clocks.set(bootId.replaceAll('-', ''), toWall);
  return {
    ofPart: (part) =>
      reports.get(part)?.toWall ??
      (boots.length === kernelParts ? clocks.get(boots[part - 1] ?? '') : undefined),
    dateEntry: ({ at, monoMicros, bootId }) =>
      (monoMicros === undefined ? undefined : clocks.get(bootId)?.(monoMicros)) ?? at,
    lost: findLost(node, read, findStep(reports, read, clocks)),
  };
}

function firstOf(read: readonly ReadJournal[], boot: string): ClockPair {
  const firsts = read.flatMap(({ boots }) => boots.get(boot)?.first ?? []);
  return firsts.reduce((first, each) => (each.monoMicros < first.monoMicros ? each : first));
}

const MONOTONIC = /"__MONOTONIC_TIMESTAMP" ?: ?"(\d+)"/;
const REALTIME = /"__REALTIME_TIMESTAMP" ?: ?"(\d+)"/;
const BOOT = /"_BOOT_ID" ?: ?"([0-9a-f]{32})"/;

function readBoots(content: EvidenceText): Map<string, BootClock> {
  const boots = new Map<string, BootClock>();
  for (const { text } of linesOf(content)) {
    const [mono, wall, boot] = [MONOTONIC, REALTIME, BOOT].map((each) => each.exec(text)?.[1]);
    if (mono === undefined || wall === undefined || boot === undefined) continue;
    const pair = { wallMs: Number(wall) / 1000, monoMicros: Number(mono) };
    const known = boots.get(boot);
    if (known === undefined) boots.set(boot, { first: pair, stepped: undefined });
    else if (isStepped(pair, wallOf(known.first))) known.stepped ??= pair;
  }
  return boots;
}

/** When somebody was first seen to have stepped the wall clock; undefined when nobody was. */
function findStep(
  reports: ReadonlyMap<number, WitnessReport>,
  read: readonly ReadJournal[],
  clocks: ReadonlyMap<string, ToWall>,
): number | undefined {
  const times = read.flatMap(({ boots }) =>
    [...boots].flatMap(([boot, { first, stepped }]) => {
      const toWall = clocks.get(boot);
      if (toWall === undefined) return [];
      return [first, stepped].flatMap((each) =>
        each !== undefined && isStepped(each, toWall) ? [toWall(each.monoMicros)] : [],
      );
    }),
  );
  times.push(...[...reports.values()].flatMap((each) => each.steppedAt ?? []));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** After a step, what only the wall clock dated cannot be compared with anything else. */
function findLost(node: string, read: readonly ReadJournal[], at: number | undefined): Lost[] {
  if (at === undefined) return [];
  const why = 'the wall clock of the node was stepped: from then on this tells other times than before';
  const dated: readonly (readonly [EvidenceSource, string])[] = [
    ['pods', 'pods.jsonl'],
    ['events', 'events.jsonl'],
    ...read.filter((each) => each.boots.size === 0).map(({ source, path }) => [source, path] as const),
  ];
  return dated.map(([source, path]) => ({ ...toTheEnd(lostOf(source, why, path, at)), node }));
}
