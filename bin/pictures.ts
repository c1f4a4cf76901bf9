/**
 * `npm run pictures`: draws the pictures of docs/report.md again, from a run of real captures. They are PNG files of few
 * colours, made small by Debian's `pngquant` where it is installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext } from '../lab/commands/context.ts';
import { getRun } from '../lab/commands/find-run.ts';
import { writeReport } from '../lab/commands/write-report.ts';
import { startBrowser } from '../test/report/browser.ts';
import { openReport, type Look } from '../test/report/report-page.ts';
import { SAMPLE_RUN, saveSampleRun } from '../test/report/sample-run.ts';

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images');
const CAPTURES = [
  ...['sigkill-from-node', 'oom-single-container', 'oom-single-container--v1', 'exit-one', 'within-limits'],
  ...['delete-ignored', 'oom-group-after-reload--crun', 'liveness-probe', 'node-reboot', 'systemd-oomd'],
  ...[
    'oom-sibling',
    'definition-changed',
    'definition-changed--v1',
    'delete-then-oom',
    'delete-then-oom--v1',
  ],
];
const CELL = '#cell=v1/oom-single-container';
const PICTURES: Readonly<Record<string, Look>> = Object.fromEntries(
  ([1280, 800, 390] as const).flatMap((width) =>
    (['light', 'dark'] as const).flatMap((scheme) => [
      [`report-${width}-${scheme}.png`, { width, scheme }],
      [`cell-${width}-${scheme}.png`, { width, scheme, hash: CELL }],
    ]),
  ),
);

const folder = mkdtempSync(join(tmpdir(), 'whodunit-pictures-'));
const browser = await startBrowser();
try {
  saveSampleRun(folder, CAPTURES);
  const context = { ...createContext(new AbortController().signal), stateDir: folder };
  const run = getRun(context, SAMPLE_RUN);
  writeReport(context, run);
  for (const [name, look] of Object.entries(PICTURES)) {
    const { page, close } = await openReport(browser, run.paths.html, look);
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
