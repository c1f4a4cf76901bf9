import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../lab/commands/context/context.ts';
import { gatherReport } from '../../lab/commands/output/write-report.ts';
import { getRun } from '../../lab/commands/saved/find-run.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import { renderHtml } from '../../lab/report/page/render-html.ts';
import { startBrowser } from './browser.ts';
import { openReport } from './report-page.ts';
import { SAMPLE_RUN, saveSampleRun } from './sample-run.ts';

/** So many copies of two real cells that their pages are longer than what a report has as plain text. */
const COPIES = 80;
const EVIL = `"'><img src=x onerror=alert(1)></script><script>alert(2)</script>`;
const LAST = `v9/${EVIL}`;

let folder: string;
let file: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-packed-'));
  saveSampleRun(folder, ['oom-single-container', 'oom-single-container--v1']);
  const context = { ...createContext(new AbortController().signal), stateDir: folder };
  const report = gatherReport(context, getRun(context, SAMPLE_RUN));
  const originals = report.result.cells.filter(({ verdict }) => verdict !== 'skipped');
  const facts = new Map(originals.map((cell) => [cell.attribution, report.factsOf(cell)]));
  const copies = Array.from({ length: COPIES }, (_, index) =>
    originals.map((cell): CellResult => ({ ...cell, address: `${cell.address}-${index}` })),
  ).flat();
  const hostile: CellResult = { ...originals[0]!, verdict: 'passed', address: LAST, note: EVIL };
  const result = { ...report.result, cells: [...copies, hostile] };
  file = join(folder, 'report.html');
  writeFileSync(
    file,
    renderHtml({ ...report, result, factsOf: ({ attribution }) => facts.get(attribution)! }).text,
  );
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

describe('a report of many cells', () => {
  it('is small, and shows a cell whose page is packed', async () => {
    expect(statSync(file).size).toBeLessThan(3_000_000);
    const { page, troubles, close } = await openReport(browser, file, {
      hash: `#cell=default/oom-single-container-${COPIES - 1}`,
    });
    await page.locator('#cell h2').waitFor();
    expect(await page.textContent('#cell')).toContain('memcg-oom (group-kill) at pod level, proven');
    await page.locator('#cell .twins .mark').first().waitFor();
    await close();
    expect(troubles).toEqual([]);
  });

  it('runs nothing of what is packed', async () => {
    const { page, troubles, close } = await openReport(browser, file, {
      hash: `#cell=${encodeURIComponent(LAST)}`,
    });
    await page.locator('#cell h2').waitFor();
    expect(await page.textContent('#cell h2')).toContain(LAST);
    expect(await page.locator('img').count()).toBe(0);
    await close();
    expect(troubles).toEqual([]);
  });

  it('says without a script which pages cannot be read', async () => {
    const { page, troubles, close } = await openReport(browser, file, { script: false });
    const text = await page.locator('body').innerText();
    const plain = await page.locator('article.page').count();
    expect(plain).toBeGreaterThan(COPIES / 2); // those that failed come first
    expect(text).toContain(`The pages of ${2 * COPIES + 1 - plain} more cells are packed`);
    await close();
    expect(troubles).toEqual([]);
  });
});
