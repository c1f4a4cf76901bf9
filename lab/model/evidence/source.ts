import type { EvidenceSource } from './evidence-files.ts';

/** A file of somebody else's that was read as evidence: what it is, and what it can tell. */
export interface ReadSource {
  /** Its path, as the user knows it. */
  readonly file: string;
  /** `dmesg -T`, `syslog`, `API objects`. */
  readonly format: string;
  /** Whose words are in it. */
  readonly tells: readonly EvidenceSource[];
  /** Whether each kernel record says who wrote it: without that, a program can write lines in the kernel's name. */
  readonly hasFacility: boolean;
  /** Whether records are numbered, so that a missing one is noticed. */
  readonly hasSequence: boolean;
  readonly clock: ClockOfSource;
  /** Its first and last time, in milliseconds since the epoch; undefined when its times are not known. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Undefined for evidence of the whole cluster, and when nothing tells. */
  readonly node: string | undefined;
  /** Of which program it is, where its path says so: `kubelet`. */
  readonly unit: string | undefined;
  readonly lines: number;
  /** Lines that are not of the format. */
  readonly unread: number;
}

/**
 * How the times of a file are known. `written`: its lines have year and zone. `two-clocks`: some of its lines have a second time
 * that has them. `same-lines`: another file has the same lines. `boot-time`: the node says when it booted. `containers`: it tells of
 * the same starts and ends of containers as something dated. `node`: it has the zone of the other files of its node. `given`:
 * somebody said year and zone. `unknown`: its records have no time, and their order beside other files means nothing.
 */
export type ClockOfSource =
  'written' | 'two-clocks' | 'same-lines' | 'boot-time' | 'containers' | 'node' | 'given' | 'unknown';
