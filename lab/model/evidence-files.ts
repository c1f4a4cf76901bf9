/** The sources of evidence, each one file of a cell's folder (see `docs/run-folder.md`). */
export const EVIDENCE_SOURCES = [
  'kmsg',
  'witness',
  'containerd',
  'kubelet',
  'pods',
  'events',
  'system',
  'tasks',
  'cri',
  'nodes',
  'leases',
  'host',
] as const;
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number];

/** Where a source lies in the cell's folder, and how much depends on it. */
export interface EvidenceFile {
  readonly file: string;
  /** Node sources lie in a folder of the node's name. */
  readonly perNode: boolean;
  /**
   * Optional sources confirm what others say, or serve a few ways to die: where they were never collected (older
   * captures), nothing is lost. A source that was collected and broke off is lost all the same.
   */
  readonly optional: boolean;
}

/** The file of each source. */
export const EVIDENCE_FILES: Readonly<Record<EvidenceSource, EvidenceFile>> = {
  kmsg: { file: 'kmsg.log', perNode: true, optional: false },
  witness: { file: 'witness.jsonl', perNode: true, optional: false },
  containerd: { file: 'containerd.jsonl', perNode: true, optional: false },
  kubelet: { file: 'kubelet.jsonl', perNode: true, optional: false },
  pods: { file: 'pods.jsonl', perNode: false, optional: false },
  events: { file: 'events.jsonl', perNode: false, optional: false },
  system: { file: 'system.jsonl', perNode: true, optional: true },
  tasks: { file: 'tasks.log', perNode: true, optional: true },
  cri: { file: 'cri.jsonl', perNode: true, optional: true },
  nodes: { file: 'nodes.jsonl', perNode: false, optional: true },
  leases: { file: 'leases.jsonl', perNode: false, optional: true },
  host: { file: 'host.jsonl', perNode: false, optional: true },
};

/** Most parts of one source: a stream begins anew when its node does. */
export const MAX_PARTS = 9;

/**
 * Path of a source inside the cell's folder. Part 1 has the plain name; after a reboot of the node the stream goes on in
 * part 2: `node-1/witness.jsonl`, `node-1/witness.2.jsonl`.
 */
export function evidencePath(source: EvidenceSource, node?: string, part = 1): string {
  const { file, perNode } = EVIDENCE_FILES[source];
  const name = part === 1 ? file : file.replace(/(\.\w+)$/, `.${part}$1`);
  return perNode && node !== undefined ? `${node}/${name}` : name;
}
