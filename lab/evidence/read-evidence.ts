import { namesOf } from '../model/text/names-of.ts';
import {
  EVIDENCE_FILES,
  evidencePath,
  MAX_PARTS,
  type Base,
  type CellRecord,
  type EvidenceSource,
  type KernelObservation,
  type Lost,
  type Observation,
} from '../model/evidence/observation.ts';
import { relateClocks } from './clocks.ts';
import { parseContainerd } from './containerd.ts';
import { parseCri } from './cri.ts';
import { parseEvents } from './events.ts';
import { parseHeartbeat } from './heartbeat.ts';
import { parseHost } from './host.ts';
import { parseKmsg, type KmsgLimits } from './kmsg.ts';
import { parseKubelet } from './kubelet.ts';
import { createSpan, lostOf, baseOf, timeOf, toTheEnd, type EvidenceText, type OnCovered } from './lines.ts';
import { parseLeases, parseNodes } from './nodes.ts';
import { parsePods } from './pods.ts';
import { isMisdated, measureLag } from './printk-clock.ts';
import { parseRegistry } from './registry.ts';
import { parseSamples } from './samples.ts';
import { parseStimuli } from './stimuli.ts';
import { parseSystem } from './system.ts';
import { parseTasks } from './tasks.ts';
import type { ToWall } from './wall-time.ts';
import { parseWitness, type WitnessReport } from './witness.ts';
import { largest } from '../model/text/extremes.ts';

/** The record of the cell next to its evidence. */
const RECORD = 'cell.json';

type Parse = (content: EvidenceText, file: string, onCovered: OnCovered) => readonly Observation[];

/** Journals, which the clocks of their node date. */
const JOURNALS = { containerd: parseContainerd, kubelet: parseKubelet, system: parseSystem };
type Journal = keyof typeof JOURNALS;

/** Sources whose parser needs only the file; the others share the clocks of their node. */
const PLAIN: Readonly<Record<Exclude<EvidenceSource, 'kmsg' | 'witness' | 'samples' | Journal>, Parse>> = {
  pods: parsePods,
  events: parseEvents,
  tasks: parseTasks,
  cri: parseCri,
  nodes: parseNodes,
  leases: parseLeases,
  host: parseHost,
  heartbeat: parseHeartbeat,
  registry: parseRegistry,
};

/**
 * Reads the saved evidence of one cell as observations, sorted by time; those without a time come first.
 *
 * Never throws for what the files hold: what is missing, cut or broken becomes a `lost` observation.
 *
 * @param files content by path inside the cell's folder, e.g. `node-1/kmsg.log`.
 */
export function readEvidence(files: ReadonlyMap<string, EvidenceText>, record: CellRecord): Observation[] {
  const observations: Observation[] = record.lost.map(readLost);
  const add = (found: Iterable<Observation>): void => {
    for (const observation of found) observations.push(observation);
  };
  add(parseStimuli(files.get(RECORD) ?? '', RECORD, record));
  for (const source of namesOf(PLAIN)) {
    const parse = PLAIN[source];
    for (const node of EVIDENCE_FILES[source].perNode ? record.nodes : [undefined]) {
      const parts = partsOf(files, source, node);
      add(findUnsaved(parts, source, node, record));
      for (const { path: file, content } of parts)
        add(parse(content, file, (covered) => observations.push(covered)));
    }
  }
  for (const node of record.nodes) add(readClocked(files, record, node));
  add(findUnnamedNodes(observations, record));
  return observations.sort((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY));
}

/**
 * The last time in any journal of the node. The lab writes the last line of the kernel log after it has read the
 * journals. Streams, such as those of the samplers, and questions go on after that line: on a busy host for seconds.
 */
function lastHeard(observations: readonly Observation[], node: string): number | undefined {
  const covered = observations.filter((observation) => observation.kind === 'covered');
  const times = covered.flatMap((journal) =>
    isJournal(journal.source) && journal.node === node ? (journal.to ?? []) : [],
  );
  return times.length === 0 ? undefined : largest(times);
}

function isJournal(source: EvidenceSource): source is Journal {
  return Object.hasOwn(JOURNALS, source);
}

interface Part {
  readonly number: number;
  readonly path: string;
  readonly content: EvidenceText;
}

function partsOf(
  files: ReadonlyMap<string, EvidenceText>,
  source: EvidenceSource,
  node: string | undefined,
): Part[] {
  const parts: Part[] = [];
  for (let number = 1; number <= MAX_PARTS; number += 1) {
    const path = evidencePath(source, node, number);
    const content = files.get(path);
    if (content !== undefined) parts.push({ number, path, content });
  }
  return parts;
}

/** The watch notices a break a moment after the first change that it may have missed. */
const NOTICED_LATE_MS = 3000;

function readLost({ source, node, from, why }: CellRecord['lost'][number]): Observation {
  const path = evidencePath(source, node);
  const at = from === undefined ? undefined : timeOf(from);
  return at === undefined
    ? lostOf(source, why, path)
    : toTheEnd(lostOf(source, why, path, at - NOTICED_LATE_MS));
}

const UNASKED = 'the API went down with the victim, and was not asked';

/** The loss of a source that was not saved, if it had to be. */
function findUnsaved(
  parts: readonly Part[],
  source: EvidenceSource,
  node: string | undefined,
  record?: CellRecord,
): Observation[] {
  const { optional, collected } = EVIDENCE_FILES[source];
  if (optional || parts.length > 0) return [];
  const path = evidencePath(source, node);
  const isUnasked = record?.victim.onNode !== undefined && collected === 'watch';
  return [lostOf(source, isUnasked ? UNASKED : `${path} was not saved`, path)];
}

/** All evidence of the nodes on which pods ran, and which the cell does not name: nothing of them is read. */
function findUnnamedNodes(observations: readonly Observation[], { nodes }: CellRecord): Lost[] {
  const ofPods = new Set<string>();
  for (const found of observations)
    if (found.kind === 'pod-seen' && found.node !== undefined) ofPods.add(found.node);
  const unnamed = [...ofPods].filter((node) => node !== '' && !nodes.includes(node));
  return unnamed.flatMap((node) =>
    namesOf(EVIDENCE_FILES)
      .filter((source) => EVIDENCE_FILES[source].perNode && !EVIDENCE_FILES[source].optional)
      .map((source) =>
        lostOf(
          source,
          `a pod ran on ${node}, which ${RECORD} does not name: its files were not read`,
          evidencePath(source, node),
        ),
      ),
  );
}

/** Reads the witness, the journals and the kernel log of one node. Those with two of its clocks date the others. */
function readClocked(
  files: ReadonlyMap<string, EvidenceText>,
  record: CellRecord,
  node: string,
): Observation[] {
  const kernel = partsOf(files, 'kmsg', node);
  const { reports, observations } = readWitness(files, node);
  const journals = namesOf(JOURNALS).flatMap((source) =>
    partsOf(files, source, node).map((part) => ({ source, ...part })),
  );
  const clocks = relateClocks(node, reports, journals);
  const add = (found: Iterable<Observation>): void => {
    for (const observation of found) observations.push(observation);
  };
  for (const source of namesOf(JOURNALS)) {
    const parts = journals.filter((journal) => journal.source === source);
    add(findUnsaved(parts, source, node));
  }
  const onCovered: OnCovered = (covered) => observations.push(covered);
  for (const journal of journals) {
    const { source, path, content } = journal;
    const context = { onCovered, dateEntry: clocks.dateEntriesOf(journal) };
    add(JOURNALS[source](content, path, context));
  }
  add(clocks.findLost());
  for (const { path, content } of partsOf(files, 'samples', node))
    add(parseSamples(content, path, { onCovered, dateEntry: clocks.date }, record));
  add(findUnsaved(kernel, 'kmsg', node));
  add(missingParts(kernel, 'kmsg', node));
  const heardAt = lastHeard(observations, node);
  for (const { number, path, content } of kernel) {
    const isLast = number === kernel.at(-1)?.number;
    const limits = {
      from: number === 1 ? timeOf(record.startedAt) : undefined,
      // The log of a boot that ended lacks the last line.
      end: isLast ? record.kmsgEnd : undefined,
      endedBetween: betweenOf(heardAt, timeOf(record.endedAt)),
    };
    const toWall = clocks.ofPart(number, kernel.length);
    const read = readKernel(content, path, limits, { toWall, report: reports.get(number) });
    for (const observation of read) observations.push(observation);
    observations.push({ ...createSpan().covered('kmsg', path), isNumbered: true, hasWriter: true });
    // A boot without a kernel log of its own would date the line by another clock.
    if (isLast && reports.size <= kernel.length && isMisdated(read, heardAt))
      observations.push(lostOf('kmsg', MISDATED, path));
  }
  return observations;
}

const MISDATED = "the clock of the kernel log is behind the node's: when its lines were written is not known";

/** The clocks of one boot. */
interface BootClocks {
  readonly toWall: ToWall | undefined;
  readonly report: WitnessReport | undefined;
}

/** Reads the kernel log of one boot, and once more where its clock turns out to be behind that of the trace. */
function readKernel(
  content: EvidenceText,
  path: string,
  limits: KmsgLimits,
  { toWall, report }: BootClocks,
): readonly (KernelObservation | Lost)[] {
  const read = parseKmsg(content, path, toWall, limits);
  if (toWall === undefined || report === undefined) return read;
  const lag = measureLag(read, report.observations);
  return lag === undefined ? read : parseKmsg(content, path, (micros) => toWall(micros) + lag, limits);
}

interface Witnessed {
  /** The report of each part, by its number. */
  readonly reports: ReadonlyMap<number, WitnessReport>;
  readonly observations: Observation[];
}

function readWitness(files: ReadonlyMap<string, EvidenceText>, node: string): Witnessed {
  const witness = partsOf(files, 'witness', node);
  const reports = new Map(witness.map(({ number, path, content }) => [number, parseWitness(content, path)]));
  const observations = [...findUnsaved(witness, 'witness', node), ...missingParts(witness, 'witness', node)];
  for (const [number, report] of reports) {
    observations.push(coveredBy(report, evidencePath('witness', node, number)));
    for (const observation of report.observations)
      observations.push(
        observation === report.cutShort ? endOfPart(report, reports.get(number + 1)) : observation,
      );
  }
  return { reports, observations };
}

function betweenOf(from: number | undefined, to: number | undefined): Base['between'] {
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

/** A later part shows that there was an earlier boot. This source has nothing of it. */
function missingParts(parts: readonly Part[], source: EvidenceSource, node: string): Observation[] {
  const last = parts.at(-1)?.number ?? 0;
  const known = new Set(parts.map((part) => part.number));
  return Array.from({ length: last }, (_, index) => index + 1)
    .filter((number) => !known.has(number))
    .map((number) => {
      const path = evidencePath(source, node, number);
      return lostOf(source, `${path} was not saved: a boot is missing`, path);
    });
}

function coveredBy({ startedAt, stoppedAt, observations }: WitnessReport, file: string): Observation {
  const span = createSpan();
  span.add(startedAt);
  if (stoppedAt !== undefined) span.add(stoppedAt);
  for (const observation of observations) span.add(observation.at);
  return span.covered('witness', file);
}

/** A stream that the end of its boot cut short is not lost: the next part shows that another boot followed. */
function endOfPart(report: WitnessReport, next: WitnessReport | undefined): Observation {
  const { cutShort, bootId } = report;
  if (cutShort === undefined) throw new TypeError('only a stream that was cut short ends like that');
  const nextBootId = next?.bootId ?? '';
  if (bootId === '' || nextBootId === '' || nextBootId === bootId) return cutShort;
  const { at, ref } = cutShort;
  const text = `the last record of boot ${bootId}; the witness went on in boot ${nextBootId}`;
  const base = baseOf('witness', at, ref.file, ref.line, text);
  return { kind: 'boot-ended', ...base, bootId, nextBootId, nextAt: next?.startedAt };
}
