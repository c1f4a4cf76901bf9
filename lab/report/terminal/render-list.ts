import { groupBy } from '../../model/text/group-by.ts';
import type { ListSummary } from '../../model/saved/answers.ts';
import type { ListResult } from '../../model/saved/formats.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { joinLines, textTable } from '../text/text-table.ts';
import { largest } from '../../model/text/extremes.ts';

/**
 * Renders `whodunit list`: the cells, the skipped ones grouped by rule, the notes, the cost, and the next command.
 *
 * @param command the command that runs these cells, without `npx whodunit`.
 */
export function renderList(list: ListResult, command: string): string {
  const lines: string[] = [];
  const width = list.cells.reduce((longest, cell) => Math.max(longest, cell.address.length), 0);
  if (list.cells.length > 0) lines.push(`${'cell'.padEnd(width)}  takes    in sets`);
  for (const cell of list.cells) {
    const sets = cell.set.length === 0 ? '' : `  ${cell.set.join(',')}`;
    lines.push(`${cell.address.padEnd(width)}  ~${formatSeconds(cell.estimateSeconds)}${sets}`);
  }
  if (list.skipped.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push('skipped by rule');
    for (const [rule, cells] of groupBy(list.skipped, ({ rule }) => rule)) {
      const [first] = cells;
      if (first === undefined) continue;
      lines.push(`  ${rule}: ${first.reason}${mark(first)}`, `    ${first.source}`);
      for (const cell of cells) lines.push(`    ${cell.address}`);
    }
  }
  if (list.notes.length > 0) lines.push('', 'declared');
  for (const note of list.notes) {
    const what = note.kind === 'start-failure' ? 'cannot start pods: ' : '';
    lines.push(`  ${note.id}: ${what}${note.reason}${mark(note)}`, `    ${note.source}`);
    lines.push(`    ${note.variants.join(' ')}`);
  }
  if (list.worlds.length > 1) lines.push('', ...renderWorlds(list.worlds));
  lines.push('', renderCost(list));
  lines.push(nextAfterList(list, command));
  return joinLines(lines);
}

/** The worlds as a tree: those that are derived from another one below it. */
function renderWorlds(worlds: ListResult['worlds']): string[] {
  const rows = worlds
    .filter(({ parent }) => !worlds.some(({ name }) => name === parent))
    .flatMap((root) => [root, ...worlds.filter(({ parent }) => parent === root.name)])
    .map((world) => ({
      ...world,
      label: worlds.some(({ name }) => name === world.parent) ? `  └ ${world.name}` : world.name,
      how: describeOrigin(world),
    }));
  const width = largest(rows.map(({ label }) => label.length));
  return [
    'worlds',
    ...rows.map(
      ({ label, estimateSeconds, how }) =>
        `  ${label.padEnd(width)}  ~${formatSeconds(estimateSeconds)}  ${how}`,
    ),
  ];
}

function describeOrigin({ parent, why, lanes }: ListResult['worlds'][number]): string {
  const how = parent === undefined ? why : `derived from ${parent}: ${why}`;
  return lanes === undefined ? how : `${how}; ${plural(lanes, 'lane')}`;
}

function formatSeconds(seconds: number): string {
  return formatDuration(seconds * 1000)
    .replace('.0 s', ' s')
    .padStart(6);
}

/**
 * Renders `whodunit list --summary`: the cells of each world, how many each rule refuses, and the cost.
 *
 * @param command the command that runs these cells, without `npx whodunit`.
 */
export function renderListSummary(summary: ListSummary, list: ListResult, command: string): string {
  const rows = summary.worlds.map(({ name, cells, estimateSeconds }) => [
    name,
    String(cells),
    `~${formatMinutes(estimateSeconds)}`,
  ]);
  const refused = summary.skipped.map((skipped) => [
    skipped.rule,
    String(skipped.cells),
    `${skipped.reason}${mark(skipped)}`,
  ]);
  return [
    ...(rows.length === 0 ? [] : [...textTable([['world', 'cells', 'takes'], ...rows]), '']),
    ...(refused.length === 0
      ? []
      : [...textTable([['skipped by rule', 'cells', 'because'], ...refused]), '']),
    renderCost(list),
    nextAfterList(list, command),
  ].join('\n');
}

function nextAfterList({ cells }: ListResult, command: string): string {
  return `next: npx whodunit ${cells.length === 0 ? "list '*'" : command}`;
}

/**
 * Renders what a plan costs, in one line:
 * `42 of 288 cells, 9 worlds, about 26 min, 6 GiB peak; estimates from your own past runs`.
 */
export function renderCost(list: ListResult): string {
  const { cells, skipped, worlds, estimateSeconds, buildSeconds = 0, memoryMiB, lanes } = list.totals;
  const builds = buildSeconds === 0 ? '' : ` (${formatMinutes(buildSeconds)} of it builds)`;
  const { pairwise, sample, seed } = list;
  const all = skipped + (pairwise?.of ?? sample?.of ?? cells);
  const head = cells === all ? plural(cells, 'cell') : `${cells} of ${plural(all, 'cell')}`;
  const cost = [head, plural(worlds, 'world'), `about ${formatMinutes(estimateSeconds)}${builds}`];
  const gib = `${Number((memoryMiB / 1024).toFixed(1))} GiB peak`;
  const inLanes = lanes && `in ${lanes.most} lanes about ${formatMinutes(lanes.estimateSeconds)}`;
  const peak = inLanes === undefined ? gib : `${inLanes}, ${gib} in each`;
  return [
    cells === 0 ? `${head}, ${skipped} skipped` : `${[...cost, peak].join(', ')}; ${BASIS[list.estimates]}`,
    ...(pairwise === undefined
      ? []
      : [`covers ${pairwise.covered} of ${pairwise.pairs} allowed pairs in ${plural(cells, 'cell')}`]),
    ...(sample === undefined ? [] : [describeSample(sample)]),
    ...(seed === undefined ? [] : [`order of seed ${seed}`]),
  ].join('; ');
}

/** How a random sample was drawn: `drawn from 7726 cells in 83 worlds (worlds first) by the seed 1`. */
export function describeSample({ of, ofWorlds, seed }: NonNullable<ListResult['sample']>): string {
  const worlds = ofWorlds === undefined ? '' : ` in ${plural(ofWorlds, 'world')} (worlds first)`;
  return `drawn from ${plural(of, 'cell')}${worlds} by the seed ${seed}`;
}

/** What estimates rest on, in words. */
export const BASIS: Readonly<Record<ListResult['estimates'], string>> = {
  'past-runs': 'estimates from your own past runs',
  'some-past-runs': 'estimates partly from your own past runs',
  defaults: 'estimates are defaults',
};

/** Whole minutes from one minute on, whole hours and minutes from two hours on: an estimate has no seconds. */
export function formatMinutes(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function mark({ proof }: { proof: 'proven' | 'predicted' }): string {
  return proof === 'predicted' ? ' (predicted, never run)' : '';
}
