import { namesOf } from '../text/names-of.ts';

/** How the lab collects a source. */
export const COLLECTED = {
  stream: 'read in the node while the cell runs; after a reboot it goes on in a second part',
  journal: "read from the node's journal when the cell is over",
  question: 'a question to the node when the cell is over',
  watch: 'a watch of the API while the cell runs',
  host: 'read on the host while the cell runs',
  registry: 'written as the registry of the cell answers, where the scenario has one',
} as const;

/** A source of evidence: where it is in the cell's folder, what it tells, and how much depends on it. */
export interface EvidenceFile {
  readonly file: string;
  /** Node sources are in a folder of the node's name. */
  readonly perNode: boolean;
  /**
   * Optional sources confirm what others say, or serve a few ways to die: where they were never collected (older
   * captures), nothing is lost. A source that was collected and broke off is lost all the same.
   */
  readonly optional: boolean;
  readonly collected: keyof typeof COLLECTED;
  /** Whose words they are, as a noun; Markdown. */
  readonly writtenBy: string;
  /** What it tells, and the shape of its lines; Markdown. */
  readonly tells: string;
}

/** The one table of sources, each one file of a cell's folder. */
const EVIDENCE_TABLE = {
  kmsg: {
    file: 'kmsg.log',
    perNode: true,
    optional: false,
    collected: 'stream',
    writtenBy: 'the kernel',
    tells: 'its log as /dev/kmsg gives it: prefix, sequence, µs since boot, flags; text',
  },
  witness: {
    file: 'witness.jsonl',
    perNode: true,
    optional: false,
    collected: 'stream',
    writtenBy: 'the witness of the lab',
    tells: 'cgroups, their counters, processes, signals, exits, whom the OOM killer chose',
  },
  containerd: {
    file: 'containerd.jsonl',
    perNode: true,
    optional: false,
    collected: 'journal',
    writtenBy: 'containerd',
    tells: 'its log: containers made, started and ended, OOM events, requests to stop',
  },
  kubelet: {
    file: 'kubelet.jsonl',
    perNode: true,
    optional: false,
    collected: 'journal',
    writtenBy: 'the kubelet',
    tells: 'its log: why it stops a container, and what died',
  },
  pods: {
    file: 'pods.jsonl',
    perNode: false,
    optional: false,
    collected: 'watch',
    writtenBy: 'the API',
    tells: 'every change of every pod: {at, type, object}',
  },
  events: {
    file: 'events.jsonl',
    perNode: false,
    optional: false,
    collected: 'watch',
    writtenBy: 'the API',
    tells: 'every Kubernetes event: {at, type, object}',
  },
  system: {
    file: 'system.jsonl',
    perNode: true,
    optional: true,
    collected: 'journal',
    writtenBy: 'systemd, systemd-logind, systemd-oomd, earlyoom',
    tells: 'their logs: kills, and the end of the node',
  },
  tasks: {
    file: 'tasks.log',
    perNode: true,
    optional: true,
    collected: 'stream',
    writtenBy: 'containerd',
    tells: 'its own events, as `ctr events` prints them',
  },
  cri: {
    file: 'cri.jsonl',
    perNode: true,
    optional: true,
    collected: 'question',
    writtenBy: 'containerd',
    tells: 'its record of each container at the end of the cell (CRI ContainerStatus)',
  },
  samples: {
    file: 'samples.jsonl',
    perNode: true,
    optional: true,
    collected: 'stream',
    writtenBy: 'the samplers of the scenario',
    tells:
      'each run of a sampler: what it printed, when, for how long, with which status; `start` and `stop` of each',
  },
  nodes: {
    file: 'nodes.jsonl',
    perNode: false,
    optional: true,
    collected: 'watch',
    writtenBy: 'the API',
    tells: 'every change of the nodes: {at, type, object}',
  },
  leases: {
    file: 'leases.jsonl',
    perNode: false,
    optional: true,
    collected: 'watch',
    writtenBy: 'the API',
    tells: 'every change of the leases of the nodes: {at, type, object}',
  },
  host: {
    file: 'host.jsonl',
    perNode: false,
    optional: true,
    collected: 'host',
    writtenBy: 'the lab',
    tells:
      'the load of the host, every 2 s: a clock that nobody can set, CPU time of all and of this lab, PSI totals',
  },
  heartbeat: {
    file: 'heartbeat.jsonl',
    perNode: false,
    optional: true,
    collected: 'host',
    writtenBy: 'the lab',
    tells:
      'whether each node greets somebody who connects by SSH, where the scenario has a `heartbeat`: {kind, at, node, asked, error}',
  },
  registry: {
    file: 'registry.jsonl',
    perNode: false,
    optional: true,
    collected: 'registry',
    writtenBy: 'the lab',
    tells:
      'each request of a node to the registry, as it ended: when, what, how much of the answer was sent, for how long',
  },
} as const satisfies Readonly<Record<string, EvidenceFile>>;

export type EvidenceSource = keyof typeof EVIDENCE_TABLE;

/** The sources of evidence, in the order in which they are read. */
export const EVIDENCE_SOURCES = namesOf(EVIDENCE_TABLE);

/** The file of each source. */
export const EVIDENCE_FILES: Readonly<Record<EvidenceSource, EvidenceFile>> = EVIDENCE_TABLE;

/** The sources that are collected in one of the ways. */
export type SourceOf<Way extends EvidenceFile['collected']> = {
  [S in EvidenceSource]: (typeof EVIDENCE_TABLE)[S]['collected'] extends Way ? S : never;
}[EvidenceSource];

/** Most parts of one source: a stream begins again when its node does. */
export const MAX_PARTS = 9;

/**
 * Path of a source inside the cell's folder. Part 1 has the plain name; after a reboot of the node the stream goes on
 * in part 2: `node-1/witness.jsonl`, `node-1/witness.2.jsonl`.
 */
export function evidencePath(source: EvidenceSource, node?: string, part = 1): string {
  const { file, perNode } = EVIDENCE_FILES[source];
  const dot = file.lastIndexOf('.');
  const name = part === 1 ? file : `${file.slice(0, dot)}.${part}${file.slice(dot)}`;
  return perNode && node !== undefined ? `${node}/${name}` : name;
}
