import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderResultsPage } from '../../bin/docs/render-results-page.ts';
import type { ResultRow } from '../../bin/docs/result-row.ts';
import { startBrowser } from './browser.ts';
import { findFaults, LOOKS, openReport } from './report-page.ts';

const row = (address: string, more: Partial<ResultRow> = {}): ResultRow => ({
  address,
  date: '2026-11-21',
  verdict: 'passed',
  killer: 'memcg-oom',
  versions: { kernel: '6.1.0-56-cloud-amd64', kubelet: 'v1.34.2', containerd: '1.6.20' },
  ...more,
});
const ROWS = [
  row('default/oom-single-container', { how: 'pod level, group-kill' }),
  row('default/sigkill', { killer: 'external-signal', verdict: 'failed' }),
  row('v1/oom-single-container'),
  row('v1/<img src=x>', { killer: 'no pods start there', verdict: 'skipped' }),
  row('v1/dying-cgroups[jobs=2000]', { versions: { kernel: '6.1.0', kubelet: 'v1.33.1' }, killer: 'none' }),
  row('a-rather_long-variant-of_many@axes+everywhere/worker-oom-then-exit', {
    how: 'pod level, single-process',
    world: '12m 48s, built',
    cell: '1m 41s',
    run: '20261124-002445-01a8',
  }),
];
/** An end as docs/measured/who-gets-killed.md has it, with texts that are as long as the longest. */
const end = (address: string, capture: string): string =>
  `| [\`${address}\`](../../test/fixtures/evidence/${capture}) | single-process, pod level, likely | 137 ✗, \`ContainerStatusUnknown\`, \`Failed\` | \`Killing\` | exit 137 of an added process, its shim is gone | \`SIGKILL\`, \`CONSTRAINT_MEMCG\`, \`memory.oom.group\` | 2 (2026-11-21) |`;
const HEAD =
  '| `npx whodunit run …` | how | API | events | containerd | kernel | on |\n| --- | --- | --- | --- | --- | --- | --- |';
const ENDS = `**3 ends**

### \`memcg-oom\`: the kernel

${HEAD}
${end('default/oom-single-container', 'oom')}
${end("'v1/oom-single-container[limit=64Mi]'", 'oom--v1')}

### \`external-signal\`: an outsider

${HEAD}
${end('default/sigkill', 'sigkill')}

### Versions

| on  | variant   | Kubernetes |
| --- | --------- | ---------- |
| 2   | \`default\` | v1.34.2    |
`;

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

/** What a reader sees of a part of the page, in pixels. */
const FOLDED = `[...document.querySelectorAll('main *')]
  .filter((part) => part.offsetParent !== null && part.scrollHeight > part.clientHeight + 1)
  .filter((part) => ['auto', 'scroll'].includes(getComputedStyle(part).overflowY)).length`;

describe('the page of results', () => {
  it.each([
    ['', 0, '6 cells'],
    ['#search=oom+v1', 1, '1 of 6 cells'],
    // A version is not the variant that is called like its beginning.
    ['#search=v1', 3, '3 of 6 cells'],
    ['#search=1.34', 5, '5 of 6 cells'],
    ['#search=1.3', 0, '0 of 6 cells'],
    ['#search=kubelet+v1.33.1', 1, '1 of 6 cells'],
    ['#search=cont', 5, '5 of 6 cells'],
    ['#search=ontainer', 0, '0 of 6 cells'],
    ['#search=jobs%3D2000', 1, '1 of 6 cells'],
    ['#verdict=failed', 1, '1 of 6 cells'],
    ['#scenario=dying-cgroups', 1, '1 of 6 cells'],
    ['#killer=memcg-oom&variant=default', 1, '1 of 6 cells'],
    ['#search=nothing+like+it', 0, '0 of 6 cells'],
    ['#unknown=x', 0, 'nothing here is called unknown=x'],
  ])('shows what its address asks for: %s', async (hash, count, words) => {
    const { page, troubles, close } = await openReport(browser, file, { hash });
    expect(await page.locator('#cells tbody tr:visible').count()).toBe(count);
    expect(await page.locator('output').textContent()).toBe(words);
    expect(troubles).toEqual([]);
    await close();
  });

  it.each([
    ['#search=v1', ["'v1/oom-single-container[limit=64Mi]'"]],
    ['#killer=external-signal', ['default/sigkill']],
    [
      '#scenario=oom-single-container',
      ['default/oom-single-container', "'v1/oom-single-container[limit=64Mi]'"],
    ],
    ['#search=memory.oom.group+sigkill&variant=v1', ["'v1/oom-single-container[limit=64Mi]'"]],
  ])('chooses ends as it chooses cells: %s', async (hash, ends) => {
    const { page, close } = await openReport(browser, file, { hash });
    expect(await page.locator('#ends tr[data-killer]:visible th').allTextContents()).toEqual(ends);
    await close();
  });

  it('writes what is chosen into its address, and counts what can be', async () => {
    const { page, close } = await openReport(browser, file);
    expect(await page.locator('select[name=killer] option').allTextContents()).toEqual([
      'all',
      'external-signal (1)',
      'memcg-oom (3)',
      'none (1)',
    ]);
    await page.locator('select[name=variant]').selectOption('v1');
    await page.locator('input').fill('oom');
    await page.waitForURL(/#search=oom&variant=v1$/);
    expect(await page.locator('#cells tbody tr:visible').count()).toBe(1);
    await close();
  });

  it.each([
    ['#v1/dying-cgroups[jobs=2000]', 'dying-cgroups[jobs=2000]'],
    ['#v1/dying-cgroups%5Bjobs%3D2000%5D', 'dying-cgroups[jobs=2000]'],
    ['#end-oom--v1', "'v1/oom-single-container[limit=64Mi]'"],
    ['#version-2', '2'],
  ])('opens at a row that its address names: %s', async (hash, head) => {
    const { page, close } = await openReport(browser, file, { hash });
    const row = page.locator('tr:target');
    expect(await row.locator('th').textContent()).toContain(head);
    expect(await row.isVisible()).toBe(true);
    await close();
  });

  it('has contents that lead to each part, and rows that lead to themselves, their scenario and their killer', async () => {
    const { page, close } = await openReport(browser, file);
    const targets = await page.evaluate(
      "[...document.querySelectorAll('nav a')].map(({ hash }) => [hash, document.querySelector(hash) !== null])",
    );
    expect(targets).toEqual(
      ['#cells', '#ends', '#ends-memcg-oom', '#ends-external-signal', '#versions'].map((hash) => [
        hash,
        true,
      ]),
    );
    await page.locator('nav a', { hasText: 'external-signal' }).click();
    expect(await page.locator('#end-sigkill').isVisible()).toBe(true);
    const hrefs = await page.evaluate(
      "[...document.getElementById('v1/oom-single-container').querySelectorAll('a')].map((link) => link.getAttribute('href'))",
    );
    expect(hrefs).toEqual([
      '#v1%2Foom-single-container',
      '../../scenarios/oom-single-container/scenario.yaml',
      '#ends-memcg-oom',
    ]);
    await close();
  });

  it('forgets a filter that hides the row which is asked for', async () => {
    const { page, close } = await openReport(browser, file, { hash: '#verdict=failed' });
    await page.evaluate("location.hash = '#v1/oom-single-container'");
    await page.waitForFunction("document.querySelector('output').textContent === '6 cells'");
    expect(await page.locator('[id="v1/oom-single-container"]').isVisible()).toBe(true);
    await close();
  });

  it.each([1280, 800, 390])(
    'shows all that it says in a window of %d, in no box that scrolls',
    async (width) => {
      const { page, close } = await openReport(browser, file, { width, hash: '#search=o' });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.evaluate(FOLDED)).toBe(0);
      const row = page.locator('tr', { hasText: 'worker-oom-then-exit' }).first();
      for (const text of ['passed', 'memcg-oom', '12m 48s, built', '1m 41s', '20261124-002445-01a8']) {
        const box = await row.getByText(text).first().boundingBox();
        expect(box, text).not.toBeNull();
        expect((box?.x ?? 0) + (box?.width ?? 0), text).toBeLessThanOrEqual(width);
      }
      expect(await page.locator('#ends td:visible').count()).toBe(18);
      await close();
    },
  );

  it('can be read where scripts are off', async () => {
    const { page, close } = await openReport(browser, file, { script: false });
    await page.locator('[id="variant-v1"] summary').click();
    expect(await page.locator('#cells tbody tr:visible').count()).toBe(3);
    await close();
  });

  it.each(LOOKS)('has no fault of accessibility (%s, %d)', async (scheme, width) => {
    const { page, close } = await openReport(browser, file, { scheme, width, hash: '#search=o' });
    expect(await findFaults(page)).toEqual([]);
    await close();
  });
});
