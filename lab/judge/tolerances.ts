/**
 * How closely times of different sources may be compared, in milliseconds, and how long things take. A record without a
 * time may have been written at any: it speaks against an answer, and never for one.
 */

/** The API writes whole seconds: what it dates at 5 s happened before 6 s. */
export const CUT_MS = 1000;
/** Clocks of a node and of the host: the lab steps a guest's clock before each cell, others keep them by NTP. */
export const CLOCKS_MS = 500;
/** Trace and kernel log of one node: about 35 ms apart under emulation. The trace and the journal agree as well. */
export const SAME_NODE_MS = 200;
/** The API's times on top of what the clocks differ by: the widest comparison there is. */
export const API_MS = CUT_MS + CLOCKS_MS + CLOCKS_MS;
/** A process is announced, and a counter read, within this time after its start. */
export const SEEN_LATE_MS = 2000;
/** All lines of one OOM report are printed under one lock. */
export const SAME_OOM_MS = 1000;
/** A program whose child died, or whose supervisor saw it die, ends at once; later than this the link is a guess. */
export const FOLLOWS_MS = 2000;
/** A program that lost a process of its own to somebody may wait so long for it to come back. */
export const MISSES_MS = 15_000;
/** A program that was asked to stop mostly does within this time. */
export const ANSWERS_MS = 10_000;
/** The trace dates a signal at most this long after the end that it caused. */
export const LATE_MS = 50;
/** A program that cannot fork gives up soon; later than this, its end is its own affair. */
export const GIVES_UP_MS = 10_000;
/** The runtime cleans up at once; under emulation it takes some seconds. */
export const CLEANUP_MS = 60_000;
/** A node that goes down stops its units first; the kubelet holds the shutdown up for its pods (InhibitDelayMaxSec). */
export const GOING_DOWN_MS = 300_000;
/** A service writes about its kill right before or after it. */
export const SAID_MS = 10_000;
/** An event is gone an hour after it was written (`--event-ttl` of the API server). */
export const EVENT_TTL_MS = 3_600_000;
/** Events of one object that the client lets through at once (EventSourceObjectSpamFilter of client-go). */
export const EVENT_BURST = 25;
/** The kubelet looks once a second; recovering took containerd 5 s under emulation. A pod that is fine later was found. */
export const FOUND_MS = 20_000;
/** The kubelet hears of a real end within a second or two. */
export const ALIVE_MS = 1000;
/** The kubelet looks for a pod's cgroup, then kills; another pod that is made in between may bring a controller back. */
export const BACK_MS = 1000;
