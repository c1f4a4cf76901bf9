import { isFirstOfBoot, isPanic } from '../../model/evidence/boot-lines.ts';
import { isOfInterest } from '../kernel-records.ts';
import type { Entry, KernelEntry, LocalTime, ProgramEntry, Stamp } from '../formats/entry.ts';
import type { Anchor, CollectedFile, Kept, NumberGap } from './collected.ts';
import { isOfUse, roleOf, type Role } from './roles.ts';

/** So many kernel lines are remembered to find them in other files: more than the ring of a kernel holds. */
const TEXTS = 20_000;
/** Two moments of both clocks tell the same when they differ by less: lines are late by some milliseconds. */
const GRAIN_MS = 100;
/** So many anchors are remembered; a file has a few: where its zone changes. */
const ANCHORS = 500;

/** Notes of one machine: what matters is kept, of the rest only its clocks. */
export function createNotes(unit: string | undefined): {
  readonly add: (entry: Entry) => void;
  readonly end: () => Omit<
    CollectedFile,
    'path' | 'place' | 'format' | 'host' | 'lines' | 'unread' | 'cut' | 'clipped'
  >;
} {
  const kept: Kept[] = [];
  const kernel = createKernelNotes();
  const anchors = createAnchors();
  const turns = createTurns();
  let boot = 0;
  let isWritten = true;
  let first: Kept | undefined;
  let last: Kept | undefined;
  let bootId: string | undefined;
  return {
    add: (entry) => {
      const id = 'bootId' in entry ? entry.bootId : undefined;
      const isOther = id !== undefined && bootId !== undefined && id !== bootId;
      if (isOther || (id === undefined && kernel.isBoot(entry))) boot += 1;
      bootId = id ?? bootId;
      const role = roleOfEntry(entry, unit);
      const one: Kept = { entry, role: role ?? 'other', turns: turns(entry), boot };
      if (entry.kind === 'program' || entry.kind === 'kernel') {
        first ??= one;
        last = one;
        anchors.add(one);
        isWritten &&= wallOfEntry(entry) !== undefined;
      }
      if (entry.kind === 'kernel') kernel.add({ ...one, entry });
      if (isKept(entry, role)) kept.push(one);
    },
    end: () => ({ ...kernel.notes(), kept, first, last, isWritten, anchors: anchors.list }),
  };
}

function roleOfEntry(entry: Entry, unit: string | undefined): Role | 'kernel' | undefined {
  if (entry.kind === 'kernel') return 'kernel';
  return entry.kind === 'program' ? roleOf(entry, unit) : undefined;
}

/** A record of another facility is not the kernel's own: a program wrote it. */
function isKept(entry: Entry, role: Role | 'kernel' | undefined): boolean {
  if (entry.kind === 'kernel')
    return (entry.facility ?? 0) === 0 && (isOfInterest(entry.text) || isFirstOfBoot(entry.text));
  if (entry.kind !== 'program') return true;
  return role !== undefined && role !== 'kernel' && isOfUse(role, entry);
}

/** Notes of the kernel log: what is numbered, who wrote, and where a boot begins. */
function createKernelNotes(): {
  readonly isBoot: (entry: Entry) => boolean;
  readonly add: (one: Kept<KernelEntry>) => void;
  readonly notes: () => Pick<
    CollectedFile,
    'texts' | 'gaps' | 'kernelRecords' | 'panicked' | 'hasFacility' | 'hasSequence'
  >;
} {
  const texts = new Map<string, Kept<KernelEntry> | undefined>();
  const gaps: NumberGap[] = [];
  let before: Kept<KernelEntry> | undefined;
  let records = 0;
  let [hasFacility, hasSequence] = [true, true];
  const panicked = new Set<number>();
  return {
    isBoot: (entry) => entry.kind === 'kernel' && records > 0 && isFirstOfBoot(entry.text),
    add: (one) => {
      const { entry } = one;
      records += 1;
      if (isPanic(entry.text)) panicked.add(one.boot);
      hasFacility &&= entry.facility !== undefined;
      hasSequence &&= entry.seq !== undefined;
      if (before?.entry.seq !== undefined && entry.seq !== undefined && before.boot === one.boot)
        if (entry.seq > before.entry.seq + 1) gaps.push({ from: before, to: one });
      before = one;
      texts.set(entry.text, texts.has(entry.text) ? undefined : one);
      if (texts.size > TEXTS) texts.delete(texts.keys().next().value ?? '');
    },
    notes: () => ({
      texts,
      gaps,
      kernelRecords: records,
      panicked,
      hasFacility: hasFacility && records > 0,
      hasSequence: hasSequence && records > 0,
    }),
  };
}

const DAY_MS = 86_400_000;
const MOST_OF_A_YEAR_DAYS = 300;

/** Counts how often the year turned, in a log whose times have none. */
function createTurns(): (entry: Entry) => number {
  let turns = 0;
  let before: number | undefined;
  return (entry) => {
    const local = localOf(entry);
    if (local === undefined || local.hasYear) return turns;
    const days = (local.ms - (before ?? local.ms)) / DAY_MS;
    // Lines of one moment may be a little out of order, also in the night of the new year.
    if (days < -MOST_OF_A_YEAR_DAYS) turns += 1;
    if (days > MOST_OF_A_YEAR_DAYS) turns -= 1;
    before = local.ms;
    return turns;
  };
}

/** The time of an entry by the clock without a zone: that of the log, else that of the program. */
export function localOf(entry: Entry): LocalTime | undefined {
  if (entry.kind === 'kernel') return entry.stamp.local;
  return entry.kind === 'program' ? (entry.stamp.local ?? ownLocal(entry)) : undefined;
}

function ownLocal({ stamp, own }: ProgramEntry): LocalTime | undefined {
  return stamp.wallMs === undefined ? own?.local : undefined;
}

/** The time of an entry by a clock with year and zone, and how coarse it is: that of the program may be finer than that of the log. */
export function wallOfEntry({
  stamp,
  own,
}: {
  readonly stamp: Stamp;
  readonly own?: Stamp | undefined;
}): { readonly at: number; readonly cutMs: number } | undefined {
  const ownMs = own?.local === undefined ? own?.wallMs : undefined;
  if (ownMs !== undefined && (stamp.wallMs === undefined || stamp.cutMs > 0)) return { at: ownMs, cutMs: 0 };
  return stamp.wallMs === undefined ? undefined : { at: stamp.wallMs, cutMs: stamp.cutMs };
}

/** Keeps the lines that have two clocks, where they tell something new. */
function createAnchors(): { readonly add: (one: Kept) => void; readonly list: readonly Anchor[] } {
  const list: Anchor[] = [];
  let known = '';
  return {
    list,
    add: ({ entry, turns, boot }) => {
      if (entry.kind !== 'kernel' && entry.kind !== 'program') return;
      const wallMs = wallOfEntry(entry)?.at ?? (entry.kind === 'program' ? entry.own?.wallMs : undefined);
      const local = localOf(entry);
      const { bootMicros } = entry.stamp;
      if (wallMs === undefined || (local === undefined && bootMicros === undefined)) return;
      const minutes = local === undefined ? 0 : Math.round((wallMs - local.ms) / 900_000);
      const key = `${minutes} ${bootMicros === undefined ? '' : Math.round((wallMs - bootMicros / 1000) / GRAIN_MS)} ${boot}`;
      if (key === known || list.length >= ANCHORS) return;
      known = key;
      list.push({ line: entry.line, turns, boot, local, bootMicros, wallMs, cutMs: entry.stamp.cutMs });
    },
  };
}
