import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUnseen, openPicture, REPORT_PICTURES } from '../../bin/docs/report-pictures.ts';
import { createContext } from '../../lab/commands/context/context.ts';
import { gatherReport } from '../../lab/commands/output/write-report.ts';
import { getRun } from '../../lab/commands/saved/find-run.ts';
import { renderHtml } from '../../lab/report/page/render-html.ts';
import { startBrowser } from './browser.ts';
import { SAMPLE_RUN, saveCaptureRuns } from './sample-run.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const IMAGES = join(PROJECT, 'docs', 'images');

describe('the pictures of the docs', () => {
  it('are those that `npm run pictures` draws, each small', () => {
    const drawn = ['verdict.svg', ...REPORT_PICTURES.map(({ file }) => file)];
    expect(readdirSync(IMAGES).toSorted()).toEqual(drawn.toSorted());
    for (const file of drawn)
      expect([file, statSync(join(IMAGES, file)).size < 80_000]).toEqual([file, true]);
  });

  it('have the caption of what they must show', () => {
    const pages = ['README.md', 'docs/report.md']
      .map((page) => readFileSync(join(PROJECT, page), 'utf8'))
      .join('');
    const captions = new Map(REPORT_PICTURES.map(({ file, caption }) => [file, caption]));
    const shown = [...pages.matchAll(/!\[([^\]]+)\]\((?:docs\/)?images\/(\S+\.png)\)/g)];
    expect(shown.length).toBeGreaterThan(4);
    for (const [, caption = '', file = ''] of shown)
      expect([file, caption]).toEqual([file, captions.get(file)]);
    const files = shown.map(([, , file]) => file);
    for (const [file, caption] of captions)
      expect([file, files.includes(file)]).toEqual([file, caption !== undefined]);
  });

  describe('of real captures', () => {
    let folder: string;
    let report: string;
    let browser: Browser;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'whodunit-pictures-'));
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

    it.each(REPORT_PICTURES.map((picture) => [picture.file, picture] as const))(
      'show in %s what its caption says',
      async (_, picture) => {
        const { page, troubles, close } = await openPicture(browser, report, picture);
        expect(await findUnseen(page, picture)).toEqual([]);
        expect(troubles).toEqual([]);
        await close();
      },
    );
  });
});
