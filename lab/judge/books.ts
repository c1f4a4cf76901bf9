import type { NodeBeat } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';
import { SAME_NODE_MS } from './tolerances.ts';

/**
 * Whether the kernel's books close. It counts `oom_kill` of /proc/vmstat where it prints "Killed process", and that line
 * is not rate-limited (`__oom_kill_process` of mm/oom_kill.c): over the same time both are equal, or something is wrong.
 */
export type Books =
  | { readonly state: 'closed'; readonly first: NodeBeat; readonly last: NodeBeat; readonly kills: number }
  /** More was counted than the log has lines: that many kills are unnamed. */
  | {
      readonly state: 'lines-missing';
      readonly last: NodeBeat;
      readonly kills: number;
      readonly missing: number;
    }
  /** The log has more lines than were counted: somebody else writes them. */
  | { readonly state: 'too-many-lines'; readonly last: NodeBeat; readonly extra: number }
  | { readonly state: 'unread' };

/** Closes the books of the boot in which the container lived, over its life. */
export function closeBooks(file: CaseFile): Books {
  const boot = file.first?.boot ?? `${file.node ?? ''} 1`;
  const ended = file.index.of('kernel-log-ended').find((each) => each.boot === boot)?.at ?? Infinity;
  const beats = file.index
    .of('node-beat')
    .filter((each) => each.boot === boot && each.oomKills !== undefined && (each.at ?? Infinity) <= ended);
  const first = beats.findLast((each) => (each.at ?? Infinity) <= file.from) ?? beats[0];
  const last = beats.find((each) => (each.at ?? -Infinity) >= file.to) ?? beats.at(-1);
  if (first?.at === undefined || last?.at === undefined || first === last) return { state: 'unread' };
  const [from, to] = [first.at, last.at];
  const at = file.index.of('kernel-killed').flatMap((each) => (each.boot === boot ? [each.at] : []));
  if (at.includes(undefined)) return { state: 'unread' };
  // A line at the edge may have been counted on either side of it.
  const within = (slackMs: number): number =>
    at.filter((each) => (each ?? 0) > from - slackMs && (each ?? 0) <= to + slackMs).length;
  const kills = (last.oomKills ?? 0) - (first.oomKills ?? 0);
  const [least, most] = [within(-SAME_NODE_MS), within(SAME_NODE_MS)];
  if (kills > most) return { state: 'lines-missing', last, kills, missing: kills - most };
  if (kills < least) return { state: 'too-many-lines', last, extra: least - kills };
  return { state: 'closed', first, last, kills };
}
