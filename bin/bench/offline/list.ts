/**
 * How long planning takes as the matrix grows: `whodunit list` of 10,000 and of 100,000 cells, from the selected words
 * to the printed text, in memory. Prints cells per second, and how much longer a cell takes in the larger list.
 */
import { readPlatform } from '../../../lab/commands/setup/config.ts';
import { readProjectFiles } from '../../../lab/drivers/project/project-files.ts';
import { AXES } from '../../../lab/model/axes/axes.ts';
import { parseConfig, type Config } from '../../../lab/plan/config/parse-config.ts';
import { toListResult } from '../../../lab/plan/cells/list-result.ts';
import { planCells } from '../../../lab/plan/cells/plan-cells.ts';
import { renderList } from '../../../lab/report/terminal/render-list.ts';

/** Result of one size. */
export interface ListBenchmark {
  readonly cells: number;
  readonly ms: number;
}

/** The project's own matrix and rules, with enough patch releases of Kubernetes to make about so many cells. */
function enlarge(config: Config, cells: number): Config {
  const others = AXES.filter((axis) => axis !== 'kubernetes' && axis !== 'kernel' && axis !== 'runtime');
  const perRelease = others.reduce((count, axis) => count * config.matrix.axes[axis].values.length, 1);
  const [first] = config.scenarios;
  const scenarios = first === undefined ? [] : [first];
  const releases = Array.from({ length: Math.ceil(cells / perRelease) }, (_, patch) => `1.30.${patch}`);
  const kubernetes = { ...config.matrix.axes.kubernetes, values: releases };
  const matrix = { ...config.matrix, axes: { ...config.matrix.axes, kubernetes } };
  return { ...config, matrix, scenarios };
}

function measure(config: Config, cells: number): ListBenchmark {
  const large = enlarge(config, cells);
  const words = AXES.filter((axis) => axis !== 'kernel' && axis !== 'runtime').map((axis) => `${axis}=*`);
  const startedAt = performance.now();
  const list = toListResult(planCells(large, words));
  const text = renderList(list, 'run');
  const ms = performance.now() - startedAt;
  if (text.length < list.totals.cells) throw new Error('the list was not printed');
  return { cells: list.totals.cells + list.totals.skipped, ms };
}

/**
 * Measures both sizes after a warm-up, prints a line for each and returns them with the ratio of the time per cell:
 * 1 is linear.
 */
export function benchmarkList(projectDir: string): { sizes: ListBenchmark[]; ratio: number } {
  const config = parseConfig(readProjectFiles(projectDir), readPlatform(projectDir));
  measure(config, 10_000);
  const sizes = [10_000, 100_000].map((cells) => measure(config, cells));
  for (const { cells, ms } of sizes) {
    const rate = Math.round(cells / (ms / 1000)).toLocaleString('en');
    console.log(`list of ${cells.toLocaleString('en')} cells: ${(ms / 1000).toFixed(2)} s, ${rate} cells/s`);
  }
  const [small, large] = sizes.map(({ cells, ms }) => ms / cells);
  const ratio = (large ?? NaN) / (small ?? NaN);
  console.log(`time per cell at 100,000 cells / at 10,000: ${ratio.toFixed(2)}`);
  return { sizes, ratio };
}
