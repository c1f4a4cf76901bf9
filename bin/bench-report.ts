/**
 * `npm run bench:report [-- <cells>]`: how long the report of so many cells (default: 5000) takes to open in headless
 * Chromium, to filter, and to show one cell. The cells are those of real captures, over and over.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { createContext } from '../lab/commands/context/context.ts';
import { getRun } from '../lab/commands/saved/find-run.ts';
import { gatherReport } from '../lab/commands/output/write-report.ts';
import type { CellResult } from '../lab/model/saved/formats.ts';
import type { CellFacts, RunReport } from '../lab/report/page/run-report.ts';
import { renderHtml } from '../lab/report/page/render-html.ts';
import { startBrowser } from '../test/report/browser.ts';
import { SAMPLE_RUN, saveSampleRun } from '../test/report/sample-run.ts';

const CAPTURES = [
  'oom-single-container',
  'sigkill-from-node',
  'delete-ignored',
  'liveness-probe',
  'within-limits',
  'supercronic-zombies',
  'systemd-oomd',
  'exit-one',
  'node-reboot',
  'deadline',
  'drain',
  'sigabrt',
  'global-oom',
  'api-eviction',
  'oom-sibling',
  'plain-exit',
  'seccomp',
  'startup-probe',
  'stop-signal',
];
const REPEATS = 3;

/** The report of a run with so many cells, on so many variants that the map has many columns. */
function multiply(report: RunReport, cells: number): RunReport {
  const originals = report.result.cells;
  const known = new Map<string, CellFacts>();
  const origin = new Map<string, CellResult>();
  const many = Array.from({ length: cells }, (_, index) => {
    const cell = originals[index % originals.length] as CellResult;
    const number = Math.floor(index / originals.length);
    const scenario = `${cell.scenario}-${Math.floor(number / 20)}`;
    const variant = { ...cell.variant, kubernetes: `1.34.${number % 20}` };
    const made = {
      ...cell,
      scenario,
      variant,
      address: `1.34.${number % 20}_${cell.variant.cgroup}/${scenario}`,
    };
    origin.set(made.address, cell);
    return made;
  });
  const factsOf = ({ address }: CellResult): CellFacts => {
    const cell = origin.get(address) as CellResult;
    const facts = known.get(cell.address) ?? report.factsOf(cell);
    known.set(cell.address, facts);
    return facts;
  };
  return { ...report, factsOf, result: { ...report.result, cells: many } };
}

/** Milliseconds until the browser has drawn what the action changed. */
async function measure(page: Page, action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return performance.now() - startedAt;
}

/** Seconds of CPU time that the process of the page has used: on a busy host the time that passes says less. */
async function cpuSeconds(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ProcessTime')?.value ?? NaN;
}

async function main(cells: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-bench-'));
  const browser = await startBrowser();
  try {
    saveSampleRun(folder, CAPTURES);
    const context = { ...createContext(new AbortController().signal), stateDir: folder };
    const report = multiply(gatherReport(context, getRun(context, SAMPLE_RUN)), cells);
    const file = join(folder, 'report.html');
    writeFileSync(file, renderHtml(report).text);
    process.stdout.write(`${cells} cells, ${Math.round(statSync(file).size / 1e6)} MB\n`);
    const wanted = report.result.cells[Math.floor(cells / 2)]?.address ?? '';
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const opened = await measure(page, () => page.goto(pathToFileURL(file).href));
      const cpu = (await cpuSeconds(page)).toFixed(2);
      const found = await measure(page, () => page.fill('input[name=text]', 'systemd-oomd'));
      const shown = await measure(page, () =>
        page.evaluate(`void (location.hash = ${JSON.stringify(`cell=${wanted}`)})`),
      );
      await page.close();
      const [a, b, c] = [opened, found, shown].map((ms) => `${(ms / 1000).toFixed(2)} s`);
      process.stdout.write(`opened in ${a} (CPU ${cpu} s), filtered in ${b}, a cell shown in ${c}\n`);
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

await main(Number(process.argv[2] ?? '5000'));
