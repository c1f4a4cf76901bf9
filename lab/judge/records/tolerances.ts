import { CLOCKS_MS, CUT_MS } from '../../model/evidence/source-clocks.ts';

/**
 * How closely times of different sources may be compared, in milliseconds, and how long things take. A record without a
 * time may be of any time: it counts against an answer, never for one.
 */

/** The difference between a time of the API and any other: the widest tolerance. */
export const API_MS = CUT_MS + CLOCKS_MS + CLOCKS_MS;
/** The witness sees a process, and reads a counter, within this time after the start. */
export const SEEN_LATE_MS = 2000;
/** The kernel prints all lines of one OOM report under one lock. */
export const SAME_OOM_MS = 1000;
/** A program whose child died ends at once, and so does one whose supervisor saw that. Later the link is a guess. */
export const FOLLOWS_MS = 2000;
/** A program that lost one of its processes to somebody may wait so long for it to come back. */
export const MISSES_MS = 15_000;
/** A program that was asked to stop mostly ends within this time. */
export const ANSWERS_MS = 10_000;
/** The trace dates a signal at most this long after the end that it caused. */
export const LATE_MS = 50;
/** A program that cannot fork gives up soon. A later end has another cause. */
export const GIVES_UP_MS = 10_000;
/** The runtime waits for a process, and reports its end at once; a node that stalled for lack of memory took 6 s. */
export const NOTICED_MS = 10_000;
/** The runtime cleans up at once; under emulation it takes some seconds. */
export const CLEANUP_MS = 60_000;
/** A node that goes down stops its units first. The kubelet delays the shutdown for its pods (InhibitDelayMaxSec). */
export const GOING_DOWN_MS = 300_000;
/** A kubelet that runs starts a container again within this time; its back-off begins with 10 s. */
export const REACTS_MS = 10_000;
/** A service logs its kill right before or after it. */
export const SAID_MS = 10_000;
/** The API server drops an event an hour after it was written (`--event-ttl`). */
export const EVENT_TTL_MS = 3_600_000;
/** The client lets through this many events of one object at once (EventSourceObjectSpamFilter of client-go). */
export const EVENT_BURST = 25;
/** Afterwards it lets through one in this time. */
export const EVENT_REFILL_MS = 300_000;
/**
 * From containerd's restart to the kubelet's reaction. The kubelet looks once a second; under emulation containerd took
 * 5 s to recover its pods.
 */
export const FOUND_MS = 20_000;
/** The kubelet hears of a real end within a second or two. */
export const ALIVE_MS = 1000;
/**
 * The kubelet looks for a pod's cgroup, then kills the pod. Another pod that starts in between may bring a controller
 * back.
 */
export const BACK_MS = 1000;
