import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../lab/commands/context/context.ts';
import { getRun } from '../../lab/commands/saved/find-run.ts';
import { gatherReport } from '../../lab/commands/output/write-report.ts';
import type { CellResult } from '../../lab/model/saved/formats.ts';
import type { RunReport } from '../../lab/report/page/run-report.ts';
import { renderHtml } from '../../lab/report/page/render-html.ts';
import { startBrowser } from './browser.ts';
import { openReport } from './report-page.ts';
import { SAMPLE_RUN, saveSampleRun } from './sample-run.ts';

let folder: string;
let report: RunReport;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-report-'));
  saveSampleRun(folder, ['sigkill-from-node']);
  const context = { ...createContext(new AbortController().signal), stateDir: folder };
  report = gatherReport(context, getRun(context, SAMPLE_RUN));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

describe('hostile names and texts', () => {
  const EVIL = `"'><img src=x onerror=alert(1)></script></noscript></style><script>alert(2)</script>\u001b[31m\u202e`;
  const LONG = 'x'.repeat(3_000);

  function hostile(text: string): CellResult {
    const [cell] = report.result.cells;
    const ref = { source: text, at: '2026-04-02T09:00:00.000Z', file: text, line: 7, text };
    return {
      ...cell!,
      address: `default/${text}`,
      scenario: text,
      note: text,
      evidence: `cells/${text}`,
      expected: { [text]: text },
      mismatches: [{ field: text, expected: text, observed: text }],
      claims: [{ layer: 'api', says: text, agrees: false }],
      attribution: {
        killer: 'unknown',
        victim: text,
        confidence: 'none',
        because: [ref],
        doubts: [text],
        chain: [{ ...ref, step: 'end' }],
        excluded: [{ what: text, by: text }],
        findings: [{ what: text, explained: false, because: [ref] }],
        open: [{ what: text, why: text, wanted: text }],
      },
    };
  }

  it.each([
    ['markup, quotes and escapes', EVIL],
    ['a word without an end', LONG],
  ])('are shown as they are, and run nothing: %s', async (_, text) => {
    const path = join(folder, 'hostile.html');
    const line = { number: 7, text, more: 12_345, isWanted: true };
    const page = renderHtml({
      ...report,
      result: {
        ...report.result,
        run: text,
        host: { [text]: text },
        cells: [hostile(text), ...report.result.cells],
      },
      versions: new Map([[`default/${text}`, { [text]: text }]]),
      flips: [
        {
          address: `default/${text}`,
          run: text,
          startedAt: text,
          changes: [{ field: text, before: text, now: text }],
        },
      ],
      factsOf: () => ({ story: undefined, excerpts: [{ file: text, lines: [line] }], problem: text }),
    });
    writeFileSync(path, page.text);
    const { page: overview, troubles, close } = await openReport(browser, path, { width: 390 });
    expect(await overview.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await overview.locator('article.cell a.address').first().click();
    await overview.waitForSelector('#cell article');
    expect(await overview.textContent('#cell')).toContain('… 12345 more characters');
    expect(await overview.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await overview.locator('img').count()).toBe(0);
    const shown = (await overview.textContent('body')) ?? '';
    expect([...'\u001b\u202e'].filter((sign) => shown.includes(sign))).toEqual([]);
    await close();
    expect(troubles).toEqual([]);
  });
});

describe('what stands behind # in the address of the page', () => {
  const SCRIPT = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
  const ADDRESSES = [
    SCRIPT,
    `cell=${SCRIPT}`,
    `cell=${encodeURIComponent(SCRIPT)}`,
    `text=${encodeURIComponent(SCRIPT)}&rows=${encodeURIComponent(SCRIPT)}&columns=${encodeURIComponent(SCRIPT)}`,
    '__proto__',
    'cell=__proto__',
    'cell=constructor',
    'rows=__proto__&columns=constructor',
    'rows=toString&columns=valueOf',
    'verdict=constructor&killer=__proto__&__proto__=x&constructor=y',
    'cell=%E0%A4%A',
    'cell=%',
    'text=%5B(%5C&rows=%00',
    `cell=${'x'.repeat(1_000_000)}`,
    `text=${'x '.repeat(500_000)}`,
    'text=javascript:alert(1)&cell=javascript:alert(1)',
  ];

  it('runs nothing, and leaves the page whole', async () => {
    const path = join(folder, 'behind.html');
    writeFileSync(path, renderHtml(report).text);
    const cell = report.result.cells[0]?.address ?? '';
    const { page, troubles, close } = await openReport(browser, path, { hash: `#${SCRIPT}` });
    for (const address of ADDRESSES) {
      const shown = `#${address.slice(0, 80)}`;
      // From the overview: what is only a place of the page changes nothing.
      await page.evaluate(`location.hash = 'text='`);
      await page.locator('#overview').waitFor({ state: 'visible' });
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      expect(await page.locator('#overview').isVisible(), shown).toBe(true);
      expect(await page.locator('img').count(), shown).toBe(0);
      expect(await page.locator('.heat thead').textContent(), shown).not.toMatch(/native code|\[object/);
      expect(await page.locator('.heat tbody th').first().textContent(), shown).toBe('sigkill-from-node');
      // The page goes on: it still leads to a cell.
      await page.evaluate(`location.hash = ${JSON.stringify(`cell=${encodeURIComponent(cell)}`)}`);
      await page.waitForSelector('#cell article');
    }
    await close();
    expect(troubles).toEqual([]);
  });
});
