import { largest, smallest } from '../../model/text/extremes.ts';
import type { Observation, ReadSource } from '../../model/evidence/observation.ts';
import { baseOf } from '../lines.ts';
import type { FileClock } from './clock.ts';
import type { FormatName } from '../formats/format.ts';
import { isOfEndedBoot, type BundleFile, type CollectedFile } from './collected.ts';
import { collectFile } from './collect.ts';
import { journalctlWords } from '../../model/evidence/journal-file.ts';
import { mergeTwins } from './merge.ts';
import { nameUids } from './name-uids.ts';
import { isOfCluster, nodesOfFiles } from './nodes-of-files.ts';
import { describeLocalEvents, hasLocalEvents, markLocal, observe, sourcesIn } from './observe.ts';
import { findBoots, placeIn } from './boots.ts';
import { relateFiles } from './relate-files.ts';
import { isTable, tellByRowsOnly } from './told-by-rows.ts';
import { isTimezone, type ClockOptions } from './zones.ts';

/** What was read of somebody's files. */
export interface ReadBundle {
  /** As the evidence of a cell gives them, sorted by time; those without a time come first. */
  readonly observations: readonly Observation[];
  readonly sources: readonly ReadSource[];
  /** Files that are not evidence. */
  readonly unknown: readonly string[];
  /** Of these, the ones that have lines of a format, which say nothing of an end. */
  readonly silent: ReadonlyMap<string, FormatName>;
  /** What others of these are, where that is known. */
  readonly others: ReadonlyMap<string, string>;
  /** What a reader must know: lines without a time, lines that were cut, clocks that disagree. */
  readonly problems: readonly string[];
  /** What tables would tell if nothing else had been given; undefined where that is so, or there are none. */
  readonly tables?: ReadBundle | undefined;
}

/**
 * Reads files of somebody else's, whatever collected them: each file is known by its content, and paths only add node and program.
 *
 * Never throws for what the files hold. Memory holds the lines that say something, not the files.
 *
 * @param files one after the other; the lines of each are read once.
 */
export async function readBundle(
  files: Iterable<BundleFile> | AsyncIterable<BundleFile>,
  options: ClockOptions = {},
): Promise<ReadBundle> {
  const collected: CollectedFile[] = [];
  const unknown: string[] = [];
  const silent = new Map<string, FormatName>();
  const others = new Map<string, string>();
  const journals: string[] = [];
  for await (const file of files) {
    const found = await collectFile(file);
    if (found === 'journal file') journals.push(file.path);
    else if ('other' in found) others.set(file.path, found.other);
    else if ('silent' in found) silent.set(file.path, found.silent);
    else if (found.length === 0) unknown.push(file.path);
    else for (const one of found) collected.push(one);
  }
  const { timezone } = options;
  const problems = timezone === undefined || isTimezone(timezone) ? [] : [`${timezone} is not a time zone`];
  const known = problems.length === 0 ? options : { ...options, timezone: undefined };
  const tables = collected.filter(isTable);
  const hasOthers = tables.length > 0 && tables.length < collected.length;
  const { problems: found, ...read } = relate(collected, known);
  return {
    ...read,
    unknown: [...unknown, ...others.keys(), ...silent.keys(), ...journals],
    silent,
    others,
    problems: [...problems, ...found, ...journals.map(unreadJournal)],
    ...(hasOthers ? { tables: { ...NOTHING_ELSE, ...relate(tables, known) } } : {}),
  };
}

const NOTHING_ELSE = { unknown: [], silent: new Map(), others: new Map() } as const;

/** What the files say together. */
function relate(
  collected: readonly CollectedFile[],
  options: ClockOptions,
): Pick<ReadBundle, 'observations' | 'sources' | 'problems'> {
  const named = nameUids(tellByRowsOnly(collected), options);
  const dated = dateFiles(named, options);
  const observations = mergeTwins(dated.files.sort(byWorth).map((file) => file.observations));
  return {
    observations: observations.sort(
      (a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY),
    ),
    sources: named.map((one) => dated.sourceOf(one)),
    problems: [...dated.problems, ...collected.flatMap(cutIn)],
  };
}

interface DatedFile {
  readonly file: CollectedFile;
  readonly observations: readonly Observation[];
}

interface DatedFiles {
  readonly files: DatedFile[];
  readonly sourceOf: (file: CollectedFile) => ReadSource;
  readonly problems: readonly string[];
}

/** Places each file on its node and on one clock, and says what it says. */
function dateFiles(collected: readonly CollectedFile[], options: ClockOptions): DatedFiles {
  const nodeOf = nodesOfFiles(collected);
  const cluster = collected.filter(isOfCluster);
  const nodes = new Set(collected.filter((file) => !isOfCluster(file)).map(nodeOf));
  const clocks = new Map<CollectedFile, FileClock>();
  const problems: string[] = [];
  const files: DatedFile[] = [];
  const observeAll = (own: readonly CollectedFile[], node: string | undefined): void => {
    const related = relateFiles(own, cluster, options);
    for (const problem of related.problems) problems.push(problem);
    const isLocal = hasLocalEvents(own);
    if (isLocal) problems.push(describeLocalEvents(node));
    const boots = findBoots(own, related.clockOf);
    for (const file of own) {
      const clock = related.clockOf(file);
      clocks.set(file, clock);
      const said = observe(file, clock, placeIn(file, node, boots));
      const counted = isLocal ? markLocal(said) : said;
      files.push({ file, observations: [...counted, ...coveredBy(file, clock, node, boots)] });
    }
  };
  for (const node of nodes)
    observeAll(
      collected.filter((file) => !isOfCluster(file) && nodeOf(file) === node),
      node,
    );
  observeAll(cluster, undefined);
  return { files, problems, sourceOf: (file) => sourceOf(file, clocks.get(file), nodeOf(file)) };
}

/** Of the same line in two files, the one stays that says most: who wrote it, its number, its time. */
function byWorth(one: DatedFile, other: DatedFile): number {
  return worthOf(other.file) - worthOf(one.file);
}

function worthOf({ hasFacility, hasSequence, first }: CollectedFile): number {
  const stamp =
    first?.entry.kind === 'kernel' || first?.entry.kind === 'program' ? first.entry.stamp : undefined;
  return Number(hasFacility) * 4 + Number(hasSequence) * 2 + Number(stamp?.cutMs === 0);
}

function windowOf(
  { first, last, kept }: CollectedFile,
  clock: FileClock,
): readonly [number | undefined, number | undefined] {
  if (first !== undefined && last !== undefined) return [clock.date(first).at, clock.date(last).at];
  const times = kept.flatMap(({ entry }) => (entry.kind === 'object' ? (entry.at ?? []) : []));
  return times.length === 0 ? [undefined, undefined] : [smallest(times), largest(times)];
}

function coveredBy(
  file: CollectedFile,
  clock: FileClock,
  node: string | undefined,
  boots: readonly number[],
): Observation[] {
  const [from, to] = windowOf(file, clock);
  // The kernel log of another boot is none of that in which the container ended.
  const sources = isOfEndedBoot(file) ? [] : sourcesIn(file);
  return sources.map((source) => {
    const records =
      source === 'kmsg' ? file.kernelRecords : file.kept.filter(({ role }) => role === source).length;
    const text = `${records} records of ${file.format}`;
    const base = baseOf(
      source,
      undefined,
      { file: file.path, node, boot: `${node ?? ''} 1` },
      undefined,
      text,
    );
    const isKernel = source === 'kmsg';
    return {
      kind: 'covered',
      ...base,
      source,
      from,
      to,
      records,
      isNumbered: isKernel ? file.hasSequence : undefined,
      hasWriter: isKernel ? file.hasFacility : undefined,
      boots: isKernel ? boots : undefined,
    };
  });
}

function sourceOf(file: CollectedFile, clock: FileClock | undefined, node: string | undefined): ReadSource {
  const [from, to] = clock === undefined ? [] : windowOf(file, clock);
  return {
    file: file.path,
    format: file.format,
    tells: sourcesIn(file),
    hasFacility: file.hasFacility,
    hasSequence: file.hasSequence,
    clock: clock?.how ?? 'unknown',
    from,
    to,
    node,
    unit: file.place.unit,
    lines: file.lines,
    unread: file.unread,
  };
}

function cutIn({ path, cut, clipped }: CollectedFile): string[] {
  return [
    ...(cut === 0
      ? []
      : [`${path}: ${cut} lines are longer than any that a tool writes; their ends were left out`]),
    ...(clipped === 0
      ? []
      : [
          `${path}: ${clipped} lines were cut off at the width of a terminal, and ids with them: take them again with --no-pager --full, or into a file`,
        ]),
  ];
}

function unreadJournal(path: string): string {
  return `${path} is a journal file of systemd, which only journalctl reads: ${journalctlWords(path).join(' ')} > journal.json`;
}
