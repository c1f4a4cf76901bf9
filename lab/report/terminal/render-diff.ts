import type { CellDiff, Difference, RunDiff } from '../../model/saved/diff.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { addressWord } from '../../model/host/cell-address.ts';
import { plural } from '../../model/text/plural.ts';
import { asideOf } from '../words/proof-lines.ts';
import { orderByTime } from '../words/order-of-time.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { quote, row } from '../text/page-rows.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';

/** What `whodunit diff` prints of two cells. */
export function renderCellDiff(diff: CellDiff): string {
  const { before, now, changes, timeline } = diff;
  const parts = [...new Set(changes.map(({ part }) => part))];
  return joinLines([
    row('before', describeSide(before)),
    row('now', describeSide(now)),
    ...(changes.length === 0 ? ['', 'only the time differs'] : []),
    ...parts.flatMap((part) => ['', part, ...changeLines(changes.filter((change) => change.part === part))]),
    '',
    'timeline (seconds after its first record; - only before, + only now)',
    ...(timeline.length === 0 ? ['  neither side has the steps of an end'] : timelineLines(timeline)),
    '',
    ...[before, now].map((side) => `why: npx whodunit why ${addressWord(side.address)} --run ${side.run}`),
  ]);
}

/** What `whodunit diff` prints of two runs. */
export function renderRunDiff(diff: RunDiff): string {
  const { before, now, host, flips, changed, gone, same } = diff;
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', title, ...lines];
  const cells = (list: RunDiff['flips']): string[] =>
    list.flatMap(({ address, changes }) => [`  ${address}`, ...changeLines(changes, '    ')]);
  const names = (list: readonly string[]): string[] => list.map((address) => `  ${address}`);
  const [flip] = flips;
  return joinLines([
    row('before', `${before.run}, ${before.startedAt}`),
    row('now', `${now.run}, ${now.startedAt}`),
    ...section('host', changeLines(host)),
    ...section('verdict or killer changed', cells(flips)),
    ...section('something else changed', cells(changed)),
    ...section('new', names(diff.new)),
    ...section('gone', names(gone)),
    '',
    `${plural(flips.length, 'flip')}, ${changed.length} changed, ${diff.new.length} new, ${gone.length} gone, ${same} unchanged`,
    ...(flip === undefined
      ? []
      : [`next: npx whodunit diff ${before.run} ${now.run} ${addressWord(flip.address)}`]),
  ]);
}

function describeSide({ run, address, verdict, killer, totalMs }: CellDiff['before']): string {
  return `${address} of ${run}: ${verdict}, ${killer}, ${formatDuration(totalMs)}`;
}

function changeLines(changes: readonly Difference[], indent = '  '): string[] {
  return textTable(
    changes.map(({ field, before, now }) => [field, `${quote(before)} -> ${quote(now)}`]),
    { indent },
  );
}

/** The rows of the timeline. A record that is on the wrong side of a step says why, as on the page of its cell. */
export function timelineLines(timeline: CellDiff['timeline']): string[] {
  const [was, is] = [asidesOf(timeline, 'before'), asidesOf(timeline, 'now')];
  const rows = timeline.flatMap((moment, index) => {
    const { step, before, now } = moment;
    const name = step === timeline[index - 1]?.step ? '' : step;
    const shown = now ?? before;
    if (shown === undefined) return [];
    const mark = before === undefined ? '+' : now === undefined ? '-' : ' ';
    const asides = sayAsides(was.get(moment), is.get(moment), now !== undefined && before !== undefined);
    const text = `${asides}${quote(shown.text)}`;
    return [[name, mark, secondsOf(before), secondsOf(now), placeOf(shown), shown.source, text]];
  });
  return textTable([['', '', 'before', 'now'], ...rows], INDENTED);
}

type Row = CellDiff['timeline'][number];

/** Why records of one side are where they are; the side is in the order of time already. */
function asidesOf(timeline: readonly Row[], side: 'before' | 'now'): ReadonlyMap<Row, string> {
  const rows = timeline.filter((row) => row[side] !== undefined);
  const ordered = orderByTime(rows.map((row) => ({ step: row.step, ...row[side]! })));
  return new Map(
    rows.flatMap((row, index) => {
      const aside = ordered[index]?.aside;
      return aside === undefined ? [] : [[row, aside] as const];
    }),
  );
}

/** What is said of a row: whose it is, where both sides are in it and do not say the same. */
function sayAsides(before: string | undefined, now: string | undefined, isBoth: boolean): string {
  if (before === now || !isBoth) return asideOf({ aside: now ?? before });
  const sides = Object.entries({ before, now }).filter(([, aside]) => aside !== undefined);
  return asideOf({ aside: sides.map(([side, aside]) => `${side}: ${aside}`).join('; ') });
}

function secondsOf(moment: CellDiff['timeline'][number]['now']): string {
  return moment?.afterMs === undefined ? '' : (moment.afterMs / 1000).toFixed(3);
}
