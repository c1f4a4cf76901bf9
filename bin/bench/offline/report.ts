/**
 * `npm run bench:report [-- <cells>]`: how large the report of so many cells (default: 2100) is, and how long it takes to be written
 * from what a run knows of its cells, to open in headless Chromium, to filter, and to show one cell. The cells are those of real
 * captures, over and over.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { createContext } from '../../../lab/commands/context/context.ts';
import { getRun } from '../../../lab/commands/saved/find-run.ts';
import { gatherReport } from '../../../lab/commands/output/write-report.ts';
import type { CellResult } from '../../../lab/model/saved/formats.ts';
import type { CellFacts, RunReport } from '../../../lab/report/page/run-report.ts';
import { renderHtml } from '../../../lab/report/page/render-html.ts';
import { worldOf } from '../../../lab/report/words/recorded-run.ts';
import { startBrowser } from '../../../test/report/browser.ts';
import { SAMPLE_RUN, saveSampleRun } from '../../../test/report/sample-run.ts';

const REPEATS = 3;

/**
 * The report of a run with so many cells, on so many variants that the map has many columns. Copies differ in their numbers
 * and ids, as two runs of one cell do: otherwise they would be packed too well.
 */
function multiply(report: RunReport, cells: number): RunReport {
  const originals = report.result.cells.map((cell) => ({ cell, facts: report.factsOf(cell) }));
  const facts = new Map<string, CellFacts>();
  const many = Array.from({ length: cells }, (_, index): CellResult => {
    const original = originals[index % originals.length]!;
    const number = Math.floor(index / originals.length);
    const copy = renumber(original, number);
    const { cell } = original;
    const scenario = `${cell.scenario}-${Math.floor(number / 20)}`;
    const variant = { ...cell.variant, kubernetes: `1.34.${number % 20}` };
    const address = `1.34.${number % 20}_${worldOf(cell)}/${scenario}${cell.address.slice(cell.address.indexOf(cell.scenario) + cell.scenario.length)}`;
    facts.set(address, copy.facts);
    return { ...copy.cell, verdict: cell.verdict, scenario, variant, address };
  });
  const factsOf = ({ address }: CellResult): CellFacts => facts.get(address)!;
  return { ...report, factsOf, result: { ...report.result, cells: many } };
}

/** Replaces numbers of four and more digits, and ids, in all texts of a value. */
function renumber<T>(value: T, number: number): T {
  const change = (text: string): string =>
    text.replaceAll(/\b(?=[a-f]*\d)[0-9a-f]{4,}\b/g, (found) =>
      found.replaceAll(/\d/g, (digit, at: number) => String((Number(digit) + number * (at + 3)) % 10)),
    );
  return JSON.parse(JSON.stringify(value), (name, field: unknown) =>
    (name === 'text' || name === 'says') && typeof field === 'string' ? change(field) : field,
  ) as T;
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
    saveSampleRun(folder);
    const context = { ...createContext(new AbortController().signal), stateDir: folder };
    const report = multiply(gatherReport(context, getRun(context, SAMPLE_RUN)), cells);
    const file = join(folder, 'report.html');
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    writeFileSync(file, renderHtml(report).text);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { user, system } = process.cpuUsage(cpuBefore);
    const size = (statSync(file).size / 1e6).toFixed(1);
    process.stdout.write(
      `${cells} cells: ${size} MB, written in ${seconds} s (CPU ${((user + system) / 1e6).toFixed(1)} s)\n`,
    );
    const wanted = report.result.cells[Math.floor(cells / 2)]?.address ?? '';
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const opened = await measure(page, () => page.goto(pathToFileURL(file).href));
      const cpu = (await cpuSeconds(page)).toFixed(2);
      const found = await measure(page, async () => {
        await page.fill('input[name=text]', 'systemd-oomd');
        await page.locator('output', { hasText: 'cells' }).waitFor();
      });
      const shown = await measure(page, () =>
        page
          .evaluate(`void (location.hash = ${JSON.stringify(`cell=${encodeURIComponent(wanted)}`)})`)
          .then(() => page.locator('#cell h2').waitFor()),
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

await main(Number(process.argv[2] ?? '2100'));
