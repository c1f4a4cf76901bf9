import { valueOf } from '../model/axes.ts';
import type { Effective } from '../model/effective.ts';
import { formatDuration } from '../model/format-duration.ts';
import { escapeMarkdown, inlineCode, markdownRow } from './markdown.ts';
import { listRuns, pickLatestCells, worldOf, type RecordedCell, type RecordedRun } from './recorded-run.ts';

const COLUMNS = [
  ...['variant', 'scenario', 'verdict', 'killer', 'kernel', 'systemd', 'kubelet', 'containerd', 'runtime'],
  ...['world up', 'cell'],
];

/**
 * Renders the outcome of every cell of some runs as a Markdown table: versions as the nodes print them, the time until
 * the world was ready, and the time of the cell.
 */
export function renderResults(runs: readonly RecordedRun[]): string {
  const cells = pickLatestCells(runs);
  if (cells.length === 0) return 'Made from no run yet.';
  const name = ({ cell }: RecordedCell): string => worldOf(cell).replace(/^default$/, '');
  const byVariant = cells.toSorted((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
  return [
    'Made from:',
    '',
    ...listRuns(runs),
    '',
    markdownRow(COLUMNS),
    markdownRow(COLUMNS.map(() => '---')),
    ...byVariant.map(renderRow),
    ...renderHealed(byVariant),
  ].join('\n');
}

function renderRow({ cell, run }: RecordedCell): string {
  const world = worldOf(cell);
  const versions = run.effective.get(cell.address)?.versions ?? {};
  const version = (name: string): string => escapeMarkdown(versions[name] ?? '-');
  const runtime = valueOf(cell.variant, 'runtime').name;
  return markdownRow([
    inlineCode(world),
    cell.scenario,
    cell.verdict,
    cell.verdict === 'skipped' ? escapeMarkdown(shorten(cell.note ?? '-')) : renderKiller(cell),
    ...['kernel', 'systemd', 'kubelet', 'containerd'].map(version),
    versions[runtime] === undefined ? '-' : `${runtime} ${version(runtime)}`,
    renderWorldTime(run, world),
    cell.verdict === 'skipped' ? '-' : formatDuration(cell.timings.totalMs),
  ]);
}

/** The rule and its reason. The run has the line of the log that showed it. */
function shorten(note: string): string {
  return note.replace(/; seen: .*$/s, ' (seen in this run)');
}

/** The killer as `whodunit why` prints it: level, way, and whether it is only likely. */
function renderKiller({ attribution }: RecordedCell['cell']): string {
  const { killer, level, how, confidence } = attribution;
  const more = [
    ...(level === undefined ? [] : [`${level} level`]),
    ...(how === undefined ? [] : [how]),
    ...(confidence === 'likely' ? ['likely'] : []),
  ];
  return `${inlineCode(killer)}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

/** From the start of a world in its run to the moment it was ready, and whether it was built or restored. */
function renderWorldTime({ events }: RecordedRun, world: string): string {
  const own = events.filter((each) => each.world === world);
  const started = own.find(({ event }) => event === 'world-started');
  const ready = own.find(({ event }) => event === 'world-ready');
  if (started === undefined || ready === undefined) return '-';
  const time = formatDuration(Date.parse(ready.at) - Date.parse(started.at));
  return escapeMarkdown(ready.detail === undefined ? time : `${time}, ${ready.detail}`);
}

/** Declared mismatches that the kubelet corrected by itself, once for each variant. */
function renderHealed(cells: readonly RecordedCell[]): string[] {
  const healed = new Map<string, string>();
  for (const { cell, run } of cells) {
    const effective: Effective | undefined = run.effective.get(cell.address);
    if (effective?.healed !== undefined) healed.set(worldOf(cell), effective.healed);
  }
  if (healed.size === 0) return [];
  const items = [...healed].map(([world, text]) => `- ${inlineCode(world)}: ${escapeMarkdown(text)}`);
  return ['', 'Made good by the kubelet itself:', '', ...items];
}
