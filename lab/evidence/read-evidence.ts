import { namesOf } from '../model/closed-list.ts';
import {
  EVIDENCE_FILES,
  evidencePath,
  MAX_PARTS,
  type Base,
  type CellRecord,
  type EvidenceSource,
  type Observation,
} from '../model/observation.ts';
import { parseContainerd } from './containerd.ts';
import { parseCri } from './cri.ts';
import { parseEvents } from './events.ts';
import { parseHost } from './host.ts';
import { parseKmsg } from './kmsg.ts';
import { parseKubelet } from './kubelet.ts';
import { createSpan, lostOf, baseOf, timeOf, toTheEnd, type EvidenceText, type OnCovered } from './lines.ts';
import { parseLeases, parseNodes } from './nodes.ts';
import { parsePods } from './pods.ts';
import { parseStimuli } from './stimuli.ts';
import { parseSystem } from './system.ts';
import { parseTasks } from './tasks.ts';
import { parseWitness, type WitnessReport } from './witness.ts';

/** The record of the cell beside its evidence. */
const RECORD = 'cell.json';

type Parse = (content: EvidenceText, file: string, onCovered: OnCovered) => readonly Observation[];

/** Sources whose parser needs nothing but the file itself; the other two share the clock of their boot. */
const PLAIN: Readonly<Record<Exclude<EvidenceSource, 'kmsg' | 'witness'>, Parse>> = {
  containerd: parseContainerd,
  kubelet: parseKubelet,
  pods: parsePods,
  events: parseEvents,
  system: parseSystem,
  tasks: parseTasks,
  cri: parseCri,
  nodes: parseNodes,
  leases: parseLeases,
  host: parseHost,
};

/**
 * Turns the saved evidence of one cell into observations, sorted by time; those without a time come first.
 *
 * Never throws on what the files hold: what is missing, cut or broken becomes a `lost` observation.
 *
 * @param files content by path inside the cell's folder, e.g. `node-1/kmsg.log`.
 */
export function readEvidence(files: ReadonlyMap<string, EvidenceText>, record: CellRecord): Observation[] {
  const observations: Observation[] = record.lost.map(readLost);
  const add = (found: Iterable<Observation>): void => {
    for (const each of found) observations.push(each);
  };
  add(parseStimuli(files.get(RECORD) ?? '', RECORD, record));
  for (const source of namesOf(PLAIN)) {
    const parse = PLAIN[source];
    const { perNode, optional } = EVIDENCE_FILES[source];
    for (const node of perNode ? record.nodes : [undefined]) {
      const parts = partsOf(files, source, node);
      const path = evidencePath(source, node);
      if (parts.length === 0 && !optional) add([lostOf(source, `${path} was not saved`, path)]);
      for (const { path: file, content } of parts)
        add(parse(content, file, (covered) => observations.push(covered)));
    }
  }
  for (const node of record.nodes) add(readNodeClocks(files, record, node, lastHeard(observations, node)));
  return observations.sort((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY));
}

/** The last time that a journal of the node tells: all were read before the last line was written into its kernel log. */
function lastHeard(observations: readonly Observation[], node: string): number | undefined {
  const times = observations.flatMap((each) =>
    each.kind === 'covered' && each.node === node && each.to !== undefined ? [each.to] : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
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

/** A break is noticed a moment after the first change that it may have cost. */
const NOTICED_LATE_MS = 3000;

function readLost({ source, node, from, why }: CellRecord['lost'][number]): Observation {
  const path = evidencePath(source, node);
  const at = from === undefined ? undefined : timeOf(from);
  return at === undefined
    ? lostOf(source, why, path)
    : toTheEnd(lostOf(source, why, path, at - NOTICED_LATE_MS));
}

/** The witness and the kernel log of one node: the witness knows the clock that both are dated by, for each boot. */
function readNodeClocks(
  files: ReadonlyMap<string, EvidenceText>,
  record: CellRecord,
  node: string,
  heardAt: number | undefined,
): Observation[] {
  const observations: Observation[] = [];
  const witness = partsOf(files, 'witness', node);
  const reports = new Map<number, WitnessReport>();
  for (const { number, path, content } of witness) reports.set(number, parseWitness(content, path));
  if (witness.length === 0) observations.push(notSaved('witness', node));
  observations.push(...missingParts(witness, 'witness', node));
  for (const [number, report] of reports) {
    observations.push(coveredBy(report, evidencePath('witness', node, number)));
    for (const each of report.observations) {
      observations.push(each === report.cutShort ? endOfPart(report, reports.get(number + 1)) : each);
    }
  }
  const kernel = partsOf(files, 'kmsg', node);
  if (kernel.length === 0) observations.push(notSaved('kmsg', node));
  observations.push(...missingParts(kernel, 'kmsg', node));
  for (const { number, path, content } of kernel) {
    const isLast = number === kernel.at(-1)?.number;
    const limits = {
      from: number === 1 ? timeOf(record.startedAt) : undefined,
      // The log of a boot that ended has no last word.
      end: isLast ? record.kmsgEnd : undefined,
      endedBetween: betweenOf(heardAt, timeOf(record.endedAt)),
    };
    for (const each of parseKmsg(content, path, reports.get(number)?.toWall, limits)) observations.push(each);
  }
  return observations;
}

function betweenOf(from: number | undefined, to: number | undefined): Base['between'] {
  return from === undefined || to === undefined || from > to ? undefined : { from, to };
}

/** A later part shows that there was an earlier boot, of which this source has nothing. */
function missingParts(parts: readonly Part[], source: EvidenceSource, node: string): Observation[] {
  const last = parts.at(-1)?.number ?? 0;
  const known = new Set(parts.map((each) => each.number));
  return Array.from({ length: last }, (_, index) => index + 1)
    .filter((number) => !known.has(number))
    .map((number) => {
      const path = evidencePath(source, node, number);
      return lostOf(source, `${path} was not saved: a boot is missing`, path);
    });
}

function coveredBy({ startedAt, observations }: WitnessReport, file: string): Observation {
  const span = createSpan();
  span.add(startedAt);
  for (const each of observations) span.add(each.at);
  return span.covered('witness', file);
}

function notSaved(source: EvidenceSource, node: string): Observation {
  const path = evidencePath(source, node);
  return lostOf(source, `${path} was not saved`, path);
}

/** A stream that was cut short by the end of its boot is not lost: the next part says that another boot followed. */
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
