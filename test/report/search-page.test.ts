import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeBisect } from '../../lab/experiment/bisect/describe-bisect.ts';
import { renderBisectHtml, renderDifferenceHtml } from '../../lab/report/page/search-page.ts';
import type { BisectResult, DifferenceResult } from '../../lab/model/saved/search.ts';
import { alive, headOf, oom, search } from '../fixtures/bisect/told-search.ts';
import { startBrowser } from './browser.ts';
import { findFaults, LOOKS, openReport } from './report-page.ts';

const ASSETS = { style: readFileSync('lab/report/page/browser/report.css', 'utf8'), version: '0.0.0' };
/** What a program said, which is markup nowhere. */
const HOSTILE = '<img src=x onerror=alert(1)> & a word that is longer than any screen '.repeat(4);

/** The fourth of these versions does not build, the third once ended in another way, and the ends show it in half of their runs. */
function tellBisect(): BisectResult {
  const versions = Array.from({ length: 24 }, (_, index) => `1.6.${index + 1}`);
  const head = headOf([...versions, '1.7.0', '1.8.0'], { notes: [HOSTILE] });
  const place = (value: string): number => versions.indexOf(value);
  const seen = search(head, (value, run) => {
    if (place(value) % 7 === 3) return { why: HOSTILE };
    if (place(value) % 5 === 2 && run % 3 === 0) return { end: { killer: HOSTILE } };
    return place(value) >= 0 && place(value) < 17 ? alive : run % 2 === 0 ? oom : alive;
  });
  return describeBisect(head, seen);
}

const counts = { red: 0, green: 0, other: 0, none: 0, others: [], why: [] };
const DIFFERENCE: DifferenceResult = {
  formatVersion: 1,
  search: '20260101-000000-abcd',
  what: ['killer'],
  ends: { green: 'killer=none', red: `killer=${HOSTILE}` },
  outcome: 'found',
  runs: 60,
  seconds: 4000,
  red: 'v1_containerd-2.4.2/oom',
  green: 'default/oom',
  differences: [
    { name: 'containerd', red: '2.4.2', green: 'apt', isNeeded: true, isNecessary: true, isUnsure: false },
    { name: 'cgroup', red: 'v1', green: 'v2', isNeeded: false },
    { name: 'limit', red: HOSTILE, green: '64Mi', isNeeded: true, isUnsure: true, isNecessary: false },
  ],
  cells: [
    { address: 'default/oom', changed: [], ...counts, green: 40, says: 'green' },
    { address: 'v1/oom', changed: ['cgroup'], ...counts, other: 2, others: [HOSTILE], says: 'unresolved' },
  ],
  mostCells: 8,
  mostSeconds: 9000,
  bisect: 'npx whodunit bisect default/oom --axis containerd',
};

let folder: string;
let browser: Browser;
const files: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-search-'));
  const pages = {
    bisect: renderBisectHtml(tellBisect(), ASSETS),
    difference: renderDifferenceHtml(DIFFERENCE, ASSETS),
  };
  for (const [name, text] of Object.entries(pages)) {
    files[name] = join(folder, `${name}.html`);
    writeFileSync(files[name], text);
  }
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Does something with a page, in which nothing may go wrong. */
async function look(
  name: string,
  view: { readonly width?: number; readonly scheme?: 'light' | 'dark' },
  see: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, troubles, close } = await openReport(browser, files[name]!, view);
  await see(page);
  expect(troubles).toEqual([]);
  await close();
}

describe('the page of a bisect', () => {
  it('has each version with its runs, its chance, and the answer in words', async () => {
    await look('bisect', {}, async (page) => {
      const { lines, versions } = tellBisect();
      const [line] = lines;
      expect(await page.textContent('h1')).toContain(
        `first bad: ${line?.firstBad}, last good: ${line?.lastGood}`,
      );
      const rows = page.locator('section').first().locator('tbody tr');
      expect(await rows.locator('th').allTextContents()).toEqual(line?.values);
      for (const [index, value] of (line?.values ?? []).entries()) {
        const { red, green, other, none } = versions.find((version) => version.value === value)!;
        const squares = rows.nth(index).locator('.square');
        expect(await squares.count()).toBe(Math.min(16, red + green + other + none));
      }
      expect(await page.locator('tr.among th').allTextContents()).toEqual(
        lines.flatMap(({ among }) => among),
      );
      expect(await page.locator('strong', { hasText: 'first bad' }).count()).toBe(lines.length);
      expect(await page.locator('img').count()).toBe(0);
    });
  });
});

describe('the page of a difference', () => {
  it('says of each difference whether it turns the outcome', async () => {
    await look('difference', {}, async (page) => {
      const said = await page.locator('section').first().locator('tbody tr td:last-child').allTextContents();
      expect(said).toEqual([
        'yes, and there is no other way to red',
        'no',
        'perhaps: leaving it out could not be observed',
      ]);
      expect(await page.locator('footer').textContent()).toContain('60 runs in 1h 06m');
      expect(await page.getByText('and 24 more').count()).toBe(1);
    });
  });
});

describe.each(['bisect', 'difference'])('the page of a %s', (name) => {
  it.each(LOOKS)('has no fault of accessibility, and no overflow (%s, %i px)', async (scheme, width) => {
    await look(name, { scheme, width }, async (page) => {
      expect(await findFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    });
  });
});
