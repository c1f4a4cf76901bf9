/**
 * `npm run pictures`: draws the pictures of README.md and docs/report.md again, from real captures. A picture that does
 * not show what its caption says is not written. They are PNG files of few colours, made small by Debian's `pngquant`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext } from '../lab/commands/context/context.ts';
import { getRun } from '../lab/commands/saved/find-run.ts';
import { gatherReport } from '../lab/commands/output/write-report.ts';
import { renderHtml } from '../lab/report/page/render-html.ts';
import { startBrowser } from '../test/report/browser.ts';
import { SAMPLE_RUN, saveCaptureRuns } from '../test/report/sample-run.ts';
import { findUnseen, openPicture, REPORT_PICTURES } from './docs/report-pictures.ts';
import { makeVerdictPicture } from './verdict-picture.ts';

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images');

writeFileSync(join(IMAGES, 'verdict.svg'), makeVerdictPicture());
const folder = mkdtempSync(join(tmpdir(), 'whodunit-pictures-'));
const browser = await startBrowser();
try {
  saveCaptureRuns(folder);
  const context = { ...createContext(new AbortController().signal), stateDir: folder };
  const html = join(folder, 'report.html');
  writeFileSync(html, renderHtml(gatherReport(context, getRun(context, SAMPLE_RUN))).text);
  for (const picture of REPORT_PICTURES) {
    const { page, close } = await openPicture(browser, html, picture);
    const unseen = await findUnseen(page, picture);
    const path = join(IMAGES, picture.file);
    if (unseen.length === 0) await page.screenshot({ path });
    await close();
    if (unseen.length > 0) {
      process.stderr.write(`${picture.file} does not show: ${unseen.join(', ')}\n`);
      process.exitCode = 1;
      continue;
    }
    const { error } = spawnSync('pngquant', ['--force', '--strip', '--output', path, '48', path], {
      stdio: 'inherit',
    });
    if (error !== undefined) throw new Error('pngquant is missing; run: apt-get install -y pngquant');
    process.stdout.write(`${picture.file}: ${Math.round(statSync(path).size / 1000)} kB\n`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
