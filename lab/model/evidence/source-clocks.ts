import { ownValue } from '../text/own-value.ts';

/** How exactly each source dates its records, and how closely times of two sources may be compared. In milliseconds. */

/** The API writes whole seconds: what it dates at 5 s happened before 6 s. */
export const CUT_MS = 1000;
/**
 * The difference between the clocks of a node and of the host. The lab steps a guest's clock before each cell; other nodes use NTP.
 */
export const CLOCKS_MS = 500;
/** The difference between trace, kernel log and journal of one node. Under emulation trace and kernel log are about 35 ms apart. */
export const SAME_NODE_MS = 200;

/** How a source dates its records. */
interface SourceClock {
  /** By which clock, as a reader calls it. */
  readonly clock: string;
  /** What happened at the time of a record, if not the act itself, but what came some time after it. */
  readonly after: 'seen' | 'read' | 'logged' | undefined;
  /** How long after a time without parts of a second the act may have been. */
  readonly cutMs: number;
}

const LAB = "the lab's clock";
/** The clock of most sources of a node, of its trace too. */
export const NODE_CLOCK = 'the clock of the node';

/** The clock of each source of evidence, by the name that its records have. */
const SOURCE_CLOCKS: Readonly<Record<string, SourceClock>> = {
  // The kernel stamps its log and its trace when it acts.
  kmsg: { clock: 'the clock of the kernel log', after: undefined, cutMs: 0 },
  trace: { clock: NODE_CLOCK, after: undefined, cutMs: 0 },
  // The witness reads a counter when it is told that it changed, on a busy node seconds later.
  cgroup: { clock: NODE_CLOCK, after: 'read', cutMs: 0 },
  witness: { clock: NODE_CLOCK, after: 'read', cutMs: 0 },
  samples: { clock: NODE_CLOCK, after: 'read', cutMs: 0 },
  // Programs say what they have done.
  containerd: { clock: NODE_CLOCK, after: 'logged', cutMs: 0 },
  tasks: { clock: NODE_CLOCK, after: 'logged', cutMs: 0 },
  kubelet: { clock: NODE_CLOCK, after: 'logged', cutMs: 0 },
  system: { clock: NODE_CLOCK, after: 'logged', cutMs: 0 },
  registry: { clock: LAB, after: 'logged', cutMs: 0 },
  // Who wrote the event dated it, in whole seconds.
  event: { clock: NODE_CLOCK, after: undefined, cutMs: CUT_MS },
  // A version of an object has the time at which the watch of the lab received it.
  pod: { clock: LAB, after: 'seen', cutMs: 0 },
  node: { clock: LAB, after: 'seen', cutMs: 0 },
  lease: { clock: LAB, after: 'seen', cutMs: 0 },
  cri: { clock: LAB, after: 'read', cutMs: 0 },
};

/** The clock of a source; what is not in the table, the lab noted when it did it. */
export function clockOf(source: string): SourceClock {
  return ownValue(SOURCE_CLOCKS, source) ?? { clock: LAB, after: undefined, cutMs: 0 };
}

/** How far two clocks may be apart; nothing for one and the same. */
export function clocksApartMs(one: SourceClock, other: SourceClock): number {
  if (one.clock === other.clock) return 0;
  return one.clock === LAB || other.clock === LAB ? CLOCKS_MS : SAME_NODE_MS;
}

/** What of a record says when it was. */
interface Dated {
  readonly source: string;
  /** ISO 8601, UTC; empty without a time. */
  readonly at: string;
}

/** How long after its time the act of a record may have been: newer fields of the API have parts of a second. */
export function cutOf({ source, at }: Dated): number {
  return at.endsWith('.000Z') ? clockOf(source).cutMs : 0;
}

/** The time of day (UTC) of a record, as exactly as its source knows it; empty without a time. */
export function timeOfDay(dated: Dated): string {
  return dated.at.slice(11, cutOf(dated) > 0 ? 19 : 23);
}
