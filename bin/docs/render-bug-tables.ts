import { escapeOwnMarkdown, inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import type { ResultRow } from './result-row.ts';

/** A bug, and all cells that `whodunit run bug=<id>` runs of it or skips by a rule. */
export interface TabledBug {
  readonly id: string;
  readonly cells: readonly TabledCell[];
}

/** A cell of a bug, and what was recorded of it. */
interface TabledCell {
  readonly address: string;
  /** Undefined when no recorded run has it. */
  readonly row: ResultRow | undefined;
  /** Why a rule refuses it. */
  readonly refused?: string;
}

/** The programs whose versions tell the variants of a bug apart. */
const VERSIONS = ['kernel', 'systemd', 'kubelet', 'containerd'];
const HEAD = ['cell', ...VERSIONS, 'verdict', 'killer', 'run'];

/** Renders where each bug is and where not: a row for each of its cells, those that nobody ran too. */
export function renderBugTables(bugs: readonly TabledBug[]): string {
  return bugs
    .flatMap(({ id, cells }) => [
      `### Where ${id} is`,
      '',
      ...markdownHead(HEAD),
      ...cells.map(renderCell),
      '',
    ])
    .join('\n');
}

function renderCell({ address, row, refused }: TabledCell): string {
  const seen =
    row === undefined ? [refused === undefined ? 'not run' : 'skipped', refused ?? '-', '-'] : ends(row);
  const versions = VERSIONS.map((name) => row?.versions[name] ?? '-');
  return markdownRow([inlineCode(address), ...[...versions, ...seen].map(escapeOwnMarkdown)]);
}

function ends({ verdict, killer, how, run, date }: ResultRow): string[] {
  return [verdict, how === undefined ? killer : `${killer} (${how})`, run ?? date];
}
