import { EVIDENCE_FILES, type CellRecord, type Observation } from '../model/observation.ts';
import { parseContainerd } from './containerd.ts';
import { parseEvents } from './events.ts';
import { parseKmsg } from './kmsg.ts';
import { parseKubelet } from './kubelet.ts';
import { lostOf } from './lines.ts';
import { parsePods } from './pods.ts';
import { parseStimuli } from './stimuli.ts';
import { parseWitness } from './witness.ts';

/** The record of the cell beside its evidence. */
const RECORD = 'cell.json';

type Parse = (content: string, file: string) => readonly Observation[];

/**
 * Turns the saved evidence of one cell into observations, sorted by time; those without a time come first.
 *
 * Never throws: what is missing, cut or broken becomes a `lost` observation.
 *
 * @param files content by path inside the cell's folder, e.g. `node-1/kmsg.log`.
 */
export function readEvidence(files: ReadonlyMap<string, string>, record: CellRecord): Observation[] {
  const observations: Observation[] = record.lost.map((each) => {
    const { file, perNode } = EVIDENCE_FILES[each.source];
    return lostOf(each.source, each.why, perNode && each.node !== undefined ? `${each.node}/${file}` : file);
  });
  observations.push(...parseStimuli(files.get(RECORD) ?? '', RECORD, record));
  const read = (path: string, source: keyof typeof EVIDENCE_FILES, parse: Parse): void => {
    const content = files.get(path);
    if (content === undefined) observations.push(lostOf(source, `${path} was not saved`, path));
    else for (const each of parse(content, path)) observations.push(each);
  };
  for (const node of record.nodes) {
    const pathOf = (source: keyof typeof EVIDENCE_FILES): string => `${node}/${EVIDENCE_FILES[source].file}`;
    const witness = parseWitness(files.get(pathOf('witness')) ?? '', pathOf('witness'));
    read(pathOf('witness'), 'witness', () => witness.observations);
    read(pathOf('kmsg'), 'kmsg', (content, file) => parseKmsg(content, file, witness.toWall));
    read(pathOf('containerd'), 'containerd', parseContainerd);
    read(pathOf('kubelet'), 'kubelet', parseKubelet);
  }
  read(EVIDENCE_FILES.pods.file, 'pods', parsePods);
  read(EVIDENCE_FILES.events.file, 'events', parseEvents);
  return observations.sort((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY));
}
