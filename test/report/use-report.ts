import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createContext } from '../../lab/commands/context/context.ts';
import { gatherReport } from '../../lab/commands/output/write-report.ts';
import { getRun } from '../../lab/commands/saved/find-run.ts';
import { renderHtml } from '../../lab/report/page/render-html.ts';
import { startBrowser } from './browser.ts';
import { openReport, type Look, type OpenReport } from './report-page.ts';
import { SAMPLE_RUN, saveCaptureRuns, writeSampleReport } from './sample-run.ts';

/** The report of a run of real captures, for all tests of a file. */
interface UsedReport {
  /** What was saved; only inside a test. */
  readonly sample: () => ReturnType<typeof writeSampleReport>;
  /** Opens the report. Its page is closed after the test, which fails if anything went wrong in it. */
  readonly open: (look?: Look) => Promise<Page>;
}

/** Writes such a report before the first test, and removes it after the last one. */
export function useSampleReport(captures: readonly string[]): UsedReport {
  let folder: string;
  let sample: ReturnType<typeof writeSampleReport>;
  let browser: Browser;
  let opened: OpenReport[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-report-'));
    sample = writeSampleReport(folder, captures);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    const all = opened;
    opened = [];
    for (const report of all) await report.close();
    expect(all.flatMap(({ troubles }) => troubles)).toEqual([]);
  });
  return {
    sample: () => sample,
    open: async (look = {}) => {
      const report = await openReport(browser, sample.file, look);
      opened.push(report);
      return report.page;
    },
  };
}

/** Every real capture on one page, as a machine left it; only inside a test. */
interface CapturesReport {
  readonly browser: () => Browser;
  /** The file of the page. */
  readonly file: () => string;
}

/** Writes that page before the first test, and removes it after the last one. */
export function useCapturesReport(): CapturesReport {
  let folder: string;
  let file: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-captures-'));
    saveCaptureRuns(folder);
    const context = { ...createContext(new AbortController().signal), stateDir: folder };
    file = join(folder, 'report.html');
    writeFileSync(file, renderHtml(gatherReport(context, getRun(context, SAMPLE_RUN))).text);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });
  return { browser: () => browser, file: () => file };
}
