/**
 * `npm run pictures -- <run>`: draws the pictures of docs/report.md again, from a saved run; without a run, from real
 * captures. They are PNG files of few colours, made small by Debian's `pngquant` where it is installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext } from '../lab/commands/context/context.ts';
import { getRun, type SavedRun } from '../lab/commands/saved/find-run.ts';
import { gatherReport } from '../lab/commands/output/write-report.ts';
import { renderHtml } from '../lab/report/page/render-html.ts';
import { startBrowser } from '../test/report/browser.ts';
import { openReport, type Look } from '../test/report/report-page.ts';
import { SAMPLE_RUN, saveSampleRun } from '../test/report/sample-run.ts';

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images');
const CAPTURES = [
  'sigkill-from-node',
  'oom-single-container',
  'oom-single-container--v1',
  'exit-one',
  'within-limits',
  'delete-ignored',
  'oom-group-after-reload--crun',
  'liveness-probe',
  'node-reboot',
  'systemd-oomd',
  'oom-sibling',
  'definition-changed',
  'definition-changed--v1',
  'delete-then-oom',
  'delete-then-oom--v1',
];
/** The scenario of the cell whose page is drawn, if possible of one that did not pass. */
const SCENARIO = 'oom-single-container';

/** The pictures of a run: its first page and the page of one cell, by the names of their files. */
function listPictures({ result }: SavedRun): Readonly<Record<string, Look>> {
  const cells = result.cells.filter(({ scenario }) => scenario === SCENARIO);
  const { address } = cells.find(({ verdict }) => verdict !== 'passed') ?? cells[0] ?? result.cells[0] ?? {};
  return Object.fromEntries(
    ([1280, 800, 390] as const).flatMap((width) =>
      (['light', 'dark'] as const).flatMap((scheme) => [
        [`report-${width}-${scheme}.png`, { width, scheme }],
        [`cell-${width}-${scheme}.png`, { width, scheme, hash: `#cell=${address ?? ''}` }],
      ]),
    ),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'whodunit-pictures-'));
const browser = await startBrowser();
try {
  const context = createContext(new AbortController().signal);
  const [named] = process.argv.slice(2);
  if (named === undefined) saveSampleRun(folder, CAPTURES);
  const from = named === undefined ? { ...context, stateDir: folder } : context;
  const run = getRun(from, named ?? SAMPLE_RUN);
  const html = join(folder, 'report.html');
  writeFileSync(html, renderHtml(gatherReport(from, run)).text);
  for (const [name, look] of Object.entries(listPictures(run))) {
    const { page, close } = await openReport(browser, html, look);
    const path = join(IMAGES, name);
    await page.screenshot({ path });
    await close();
    spawnSync('pngquant', ['--force', '--strip', '--output', path, '64', path], { stdio: 'inherit' });
    process.stdout.write(`${name}: ${Math.round(statSync(path).size / 1000)} kB\n`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
