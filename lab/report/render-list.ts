import type { ListResult } from '../model/formats.ts';
import { formatDuration } from './format-duration.ts';

/** Renders `lab list`: the cells, the skipped ones grouped by rule, the cost, and the next command. */
export function renderList(list: ListResult): string {
  const lines: string[] = [];
  const width = Math.max(0, ...list.cells.map((cell) => cell.address.length));
  if (list.cells.length > 0) lines.push(`${'cell'.padEnd(width)}  takes    in sets`);
  for (const cell of list.cells) {
    const sets = cell.set.length === 0 ? '' : `  ${cell.set.join(',')}`;
    lines.push(
      `${cell.address.padEnd(width)}  ~${formatDuration(cell.estimateSeconds * 1000)
        .replace('.0 s', ' s')
        .padStart(6)}${sets}`,
    );
  }
  if (list.skipped.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push('skipped by rule');
    for (const [rule, cells] of groupByRule(list.skipped)) {
      const [first] = cells;
      if (first === undefined) continue;
      lines.push(`  ${rule}: ${first.reason}`, `    ${first.source}`);
      lines.push(...cells.map((cell) => `    ${cell.address}`));
    }
  }
  lines.push('', renderCost(list.totals));
  const [next] = list.cells;
  lines.push(next === undefined ? 'next: npm run lab list' : `next: npm run lab run ${next.address}`);
  return lines.join('\n');
}

/** Renders what a plan costs, in one line: `2 cells, 0 skipped: 1 world, about 4m 00s, 3.0 GiB of memory`. */
export function renderCost(totals: ListResult['totals']): string {
  const { cells, skipped, worlds, estimateSeconds, memoryMiB } = totals;
  const head = `${plural(cells, 'cell')}, ${skipped} skipped`;
  if (cells === 0) return head;
  const time = `about ${formatDuration(estimateSeconds * 1000)}`;
  return `${head}: ${plural(worlds, 'world')}, ${time}, ${(memoryMiB / 1024).toFixed(1)} GiB of memory`;
}

function groupByRule(skipped: ListResult['skipped']): Map<string, ListResult['skipped']> {
  const groups = new Map<string, ListResult['skipped']>();
  for (const cell of skipped) groups.set(cell.rule, [...(groups.get(cell.rule) ?? []), cell]);
  return groups;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
