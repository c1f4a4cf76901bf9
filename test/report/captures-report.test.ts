import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../lab/commands/context/context.ts';
import { gatherReport } from '../../lab/commands/output/write-report.ts';
import { getRun } from '../../lab/commands/saved/find-run.ts';
import { renderHtml } from '../../lab/report/page/render-html.ts';
import { startBrowser } from './browser.ts';
import { openReport } from './report-page.ts';
import { SAMPLE_RUN, saveCaptureRuns } from './sample-run.ts';

/** Every real capture on one page, as a machine left it. */
let folder: string;
let report: string;
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-captures-'));
  saveCaptureRuns(folder);
  const context = { ...createContext(new AbortController().signal), stateDir: folder };
  report = join(folder, 'report.html');
  writeFileSync(report, renderHtml(gatherReport(context, getRun(context, SAMPLE_RUN))).text);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

describe('what failed', () => {
  it.each([1280, 800, 390])('is to be read without scrolling to the right, at %i pixels', async (width) => {
    const { page, close } = await openReport(browser, report, { width });
    const wide = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.cell')]
        .filter((cell) => [...cell.querySelectorAll('.scroll')].some((box) => box.scrollWidth > box.clientWidth))
        .map((cell) => cell.dataset.cell)`,
    );
    expect(wide).toEqual([]);
    await close();
  });

  it('says once what became of a known bug', async () => {
    const { page, close } = await openReport(browser, report);
    const card = page.locator('[data-cell="default/slow-pull"]');
    expect((await card.textContent())?.match(/slow-image-blocks-pulls(?!\.yaml)/g)).toHaveLength(1);
    await close();
  });
});
