import type { CellDiff, Difference, RunDiff } from '../../model/saved/diff.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { addressWord } from '../../model/host/cell-address.ts';
import { plural } from '../../model/text/plural.ts';
import { placeOf, row, shortenPaths } from '../text/page-rows.ts';
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
    changes.map(({ field, before, now }) => [field, `${shortenPaths(before)} -> ${shortenPaths(now)}`]),
    { indent },
  );
}

function timelineLines(timeline: CellDiff['timeline']): string[] {
  const rows = timeline.flatMap(({ step, before, now }, index) => {
    const name = step === timeline[index - 1]?.step ? '' : step;
    const shown = now ?? before;
    if (shown === undefined) return [];
    const mark = before === undefined ? '+' : now === undefined ? '-' : ' ';
    return [
      [name, mark, secondsOf(before), secondsOf(now), placeOf(shown), shown.source, shortenPaths(shown.text)],
    ];
  });
  return textTable([['', '', 'before', 'now'], ...rows], INDENTED);
}

function secondsOf(moment: CellDiff['timeline'][number]['now']): string {
  return moment?.afterMs === undefined ? '' : (moment.afterMs / 1000).toFixed(3);
}
