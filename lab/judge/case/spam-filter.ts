import { groupBy } from '../../model/text/group-by.ts';
import type { KubeEvent } from '../../model/evidence/observation.ts';
import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import { EVENT_BURST, EVENT_REFILL_MS } from '../records/tolerances.ts';

/**
 * Whether the client may have dropped an event about one object up to a time, by what it let through.
 *
 * It gives each source and object a bucket of 25 tokens and one more every five minutes, and each occurrence takes one:
 * the repeated ones, of which the API only has a count, as well (`EventSourceObjectSpamFilter` of
 * client-go/tools/record/events_cache.go). Since 0.32 warnings have a bucket of their own; one for all is the stricter
 * bound, and holds for every release.
 *
 * @param events of one source about one object.
 * @param until milliseconds since the epoch.
 */
export function mayHaveDropped(events: readonly KubeEvent[], until: number): boolean {
  let tokens = EVENT_BURST;
  let before: number | undefined;
  for (const at of occurrencesOf(events, until + CUT_MS)) {
    if (before !== undefined) tokens = Math.min(EVENT_BURST, tokens + (at - before) / EVENT_REFILL_MS);
    tokens = Math.max(0, tokens - 1);
    if (tokens < 1) return true;
    before = at;
  }
  return false;
}

/** The times of all occurrences up to a time, in order. What nobody dated counts as late: then the bucket is emptier. */
function occurrencesOf(events: readonly KubeEvent[], until: number): number[] {
  const byObject = groupBy(events, ({ reason, message, fieldPath, firstAt }) =>
    [reason, message, fieldPath ?? '', firstAt ?? ''].join('\n'),
  );
  return [...byObject.values()].flatMap((versions) => timesOf(versions, until)).sort((a, b) => a - b);
}

/** The same of one event object, which the watch delivers once more with each new count. */
function timesOf(versions: readonly KubeEvent[], until: number): number[] {
  const times: number[] = [];
  const sorted = [...versions].sort((a, b) => a.count - b.count);
  for (const { count, firstAt, lastAt, at } of sorted) {
    const last = lastAt ?? at;
    if (last === undefined) continue;
    if (times.length === 0 && count > 1 && firstAt !== undefined) times.push(firstAt);
    // Of those in between only the last one has a time.
    while (times.length < count) times.push(Math.min(last, until));
  }
  return times.filter((time) => time <= until);
}
