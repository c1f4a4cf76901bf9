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
});
