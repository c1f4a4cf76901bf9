import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from './browser.ts';
import { openReport } from './report-page.ts';
import { writeSampleReport } from './sample-run.ts';

const PASSED = 'default/oom-single-container';
const FAILED = 'v1/oom-single-container';

let folder: string;
let file: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-twin-'));
  ({ file } = writeSampleReport(folder, ['oom-single-container', 'oom-single-container--v1']));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** The time of a label: `-92 ms`, `+2.7 s`, `+1m 05s`. */
function toMs(label: string): number {
  const [, sign, minutes = '0', number = '0', unit] =
    /^([\u2212+])?(?:(\d+)m )?([\d.]+) ?(ms|s)?$/.exec(label) ?? [];
  const ms = Number(minutes) * 60_000 + Number(number) * (unit === 'ms' ? 1 : 1000);
  return sign === '+' ? ms : -ms;
}

describe('the time axes of a cell and its twin', () => {
  it('are drawn on one scale, so that one sees where they part', async () => {
    const { page, troubles, close } = await openReport(browser, file, {
      hash: `#cell=${encodeURIComponent(FAILED)}`,
    });
    const twins = page.getByRole('region', { name: 'Both time axes' });
    expect(await twins.locator('svg').count()).toBe(2);
    const heads = await twins.locator('p').allTextContents();
    expect(heads[0]).toMatch(/v1\/oom-single-container\s+failed, memcg-oom.*, ended at \+/s);
    expect(heads[1]).toMatch(/default\/oom-single-container\s+passed, memcg-oom.*, ended at \+/s);
    expect(await twins.locator('a').textContent()).toBe(PASSED);
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.twins .verdict')].map((verdict) => getComputedStyle(verdict).color)`,
    );
    expect(new Set(colours).size).toBe(2);
    expect(await page.locator('.twins svg .end').count()).toBe(2);
    const sides = await page.evaluate<[width: string, lanes: string[], ticks: [number, string][]][]>(
      `[...document.querySelectorAll('.twins svg')].map((svg) => [
        svg.getAttribute('width'),
        [...svg.querySelectorAll('.lane')].map((lane) => lane.textContent),
        [...svg.querySelectorAll('.tick')].map((tick) => [Number(tick.getAttribute('x')), tick.textContent]),
      ])`,
    );
    const [[width, lanes, ticks] = [], [otherWidth, otherLanes, otherTicks] = []] = sides;
    expect([otherWidth, otherLanes]).toEqual([width, lanes]);
    // A later time never stands to the left of an earlier one, on whichever of the two axes they are.
    const all = [...(ticks ?? []), ...(otherTicks ?? [])].sort(([a], [b]) => a - b);
    const times = all.map(([, text]) => toMs(text));
    expect(times.length).toBeGreaterThan(4);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    await twins.focus();
    await page.keyboard.press('ArrowRight');
    expect(troubles).toEqual([]);
    await close();
  });

  it('fit on a screen of 1280 pixels, with both ends', async () => {
    const { page, troubles, close } = await openReport(browser, file, { hash: `#cell=${FAILED}` });
    await page.locator('.twins svg').first().waitFor();
    const rights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.twins svg')].map((svg) => svg.getBoundingClientRect().right)`,
    );
    expect(rights.length).toBe(2);
    expect(Math.max(...rights)).toBeLessThan(1280);
    await close();
    expect(troubles).toEqual([]);
  });

  it('say the whole record of a mark that is pointed at or has the focus, on both sides', async () => {
    const { page, troubles, close } = await openReport(browser, file, { hash: `#cell=${FAILED}` });
    const [own, other] = [page.locator('.twins svg').first(), page.locator('.twins svg').last()];
    await other.locator('.mark[aria-label]').first().waitFor();
    await own.locator('.proof').first().hover();
    expect(await page.textContent('#tip')).toMatch(/kernel kmsg .*node-1\/kmsg\.log:59 oom-kill:constraint/);
    await other.locator('[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    const said = (await page.textContent('#tip')) ?? '';
    expect(said).toMatch(/\d\d:\d\d:\d\d(?:\.\d{3})? \S+:\d+ \S+/);
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe(said);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#tip')).toBe(false);
    expect(await page.isVisible('#cell h2')).toBe(true);
    await close();
    expect(troubles).toEqual([]);
  });
});

describe('the table of a cell and its twin', () => {
  it('marks what differs, and no pid, id or time', async () => {
    const { page, close } = await openReport(browser, file, { hash: `#cell=${FAILED}` });
    await page.locator('.twin').waitFor();
    const marks = await page.locator('.twin mark').allTextContents();
    expect(marks).toEqual(
      expect.arrayContaining(['v1', 'v2', 'failed', 'passed', 'single-process', 'group-kill']),
    );
    expect(
      marks.filter(
        (text) => /^[\d…/]*$|^\W*(?:pid\W*)?[\da-f-]{8,}\W*$/.test(text.trim()) && !/^\d$/.test(text),
      ),
    ).toEqual([]);
    const alike = await page.locator('.twin tr.alike th').allTextContents();
    expect(alike).toEqual(expect.arrayContaining(['victim', 'kernel said', 'api said']));
    expect(await page.locator('.twin tr.alike mark').count()).toBe(0);
    await close();
  });
});
