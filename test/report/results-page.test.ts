import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderResultsPage } from '../../bin/docs/render-results-page.ts';
import type { ResultRow } from '../../bin/docs/result-row.ts';
import { startBrowser } from './browser.ts';
import { findFaults, openReport } from './report-page.ts';

const row = (address: string, more: Partial<ResultRow> = {}): ResultRow => ({
  address,
  date: '2026-11-21',
  verdict: 'passed',
  killer: 'memcg-oom',
  versions: { kernel: '6.1.0-56-cloud-amd64', containerd: '1.6.20' },
  ...more,
});
const ROWS = [
  row('default/oom-single-container', { how: 'pod level, group-kill' }),
  row('default/sigkill', { killer: 'external-signal', verdict: 'failed' }),
  row('v1/oom-single-container'),
  row('v1/<img src=x>', { killer: 'no pods start there', verdict: 'skipped' }),
];
const WIDE = `| ${Array.from({ length: 30 }, (_, index) => `\`column-${index}-of-a-wide-table\``).join(' | ')} |`;
const ENDS = `### \`memcg-oom\`: the kernel\n\n${WIDE}\n| ${'--- | '.repeat(30)}\n${WIDE}\n`;

let folder: string;
let file: string;
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-results-'));
  file = join(folder, 'results.html');
  writeFileSync(file, renderResultsPage(ROWS, ENDS));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

describe('the page of results', () => {
  it.each([
    ['', 4, '4 of 4 cells'],
    ['#search=oom+v1', 1, '1 of 4 cells'],
    ['#verdict=failed', 1, '1 of 4 cells'],
    ['#killer=memcg-oom&variant=default', 1, '1 of 4 cells'],
    ['#search=nothing+like+it', 0, '0 of 4 cells'],
    ['#unknown=x', 4, '4 of 4 cells'],
  ])('shows what its address asks for: %s', async (hash, count, words) => {
    const { page, troubles, close } = await openReport(browser, file, { hash });
    expect(await page.locator('#cells tbody tr:visible').count()).toBe(count);
    expect(await page.locator('output').textContent()).toBe(words);
    expect(troubles).toEqual([]);
    await close();
  });

  it('writes what is chosen into its address, and counts what can be', async () => {
    const { page, close } = await openReport(browser, file);
    expect(await page.locator('select[name=killer] option').allTextContents()).toEqual([
      'all',
      'external-signal (1)',
      'memcg-oom (2)',
    ]);
    await page.locator('select[name=variant]').selectOption('v1');
    await page.locator('input').fill('oom');
    await page.waitForURL(/#search=oom&variant=v1$/);
    expect(await page.locator('#cells tbody tr:visible').count()).toBe(1);
    await close();
  });

  it.each([1280, 800, 390])('is as wide as its window of %d, and its tables scroll', async (width) => {
    const { page, close } = await openReport(browser, file, { width, script: width !== 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const scrolls =
      "[...document.querySelectorAll('#ends .scroll')].map((box) => box.scrollWidth > box.clientWidth)";
    expect(await page.evaluate(scrolls)).toEqual([true]);
    await close();
  });

  it.each(['light', 'dark'] as const)('has no fault of accessibility (%s)', async (scheme) => {
    const { page, close } = await openReport(browser, file, { scheme });
    expect(await findFaults(page)).toEqual([]);
    await close();
  });
});
