import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Look } from './report-page.ts';
import { EARLIER_RUN, LOST } from './sample-run.ts';
import { useSampleReport } from './use-report.ts';

/** One that fails, one that fails beside a twin that passes, one that is inconclusive; the others pass. */
const CAPTURES = [
  'sigkill-from-node',
  'oom-single-container',
  'oom-single-container--v1',
  'exit-one',
  'within-limits',
  'supercronic-zombies',
  'delete-ignored',
  'oom-group-after-reload--crun',
];
const FAILED = 'default/sigkill-from-node';
const FAILED_V1 = 'v1/oom-single-container';
const PASSED = 'default/oom-single-container';
const WIDTHS = [1280, 800, 390];

const { sample, open } = useSampleReport(CAPTURES);

const openCell = (address: string, look: Look = {}): Promise<Page> =>
  open({ ...look, hash: `#cell=${encodeURIComponent(address)}` });

/** Addresses of the cells that are to be seen in the list. */
const listShown = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.cell')].filter((cell) => cell.checkVisibility()).map((cell) => cell.dataset.cell)`,
  );

/** An attribute of all elements that a selector finds. */
const listAttributes = (page: Page, selector: string, name: string): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('${selector}')].map((element) => element.getAttribute('${name}') ?? '')`,
  );

/** Their texts, without the space around them. */
const listTexts = async (page: Page, selector: string): Promise<string[]> =>
  (await page.locator(selector).allTextContents()).map((text) => text.trim());

describe('the overview', () => {
  it('has what failed first, with the reason, and what passed behind a line', async () => {
    const page = await open();
    expect(await page.textContent('h1')).toBe('5 passed, 2 failed, 1 inconclusive, 1 skipped');
    expect(await listShown(page)).toEqual([FAILED, FAILED_V1, LOST]);
    const card = page.locator(`[data-cell="${FAILED}"]`);
    expect(await card.locator('p').first().textContent()).toMatch(/failed\s+killer\s+external-signal/);
    expect(await card.locator('tbody tr').first().textContent()).toMatch(
      /killer.*killed by memcg-oom at pod level.*ended by external-signal/s,
    );
    expect(await page.locator(`[data-cell="${LOST}"]`).textContent()).toContain('pods.jsonl was not saved');
    await page.getByText('5 cells passed').click();
    expect(await listShown(page)).toContain(PASSED);
  });

  it('names the run, its date, the versions, and what changed since the last run of the same cells', async () => {
    const page = await open();
    expect(await page.textContent('header')).toMatch(/2026-04-02 09:00.*UTC.*emulated.*kubelet/s);
    expect((await page.textContent('#flips'))?.replaceAll(/\s+/g, ' ')).toContain(
      `verdict passed → to failed since 2026-04-01, run ${EARLIER_RUN}`,
    );
    expect(await page.locator('#flips li').count()).toBe(2);
  });

  it('filters by words, verdict and killer, and a link keeps it', async () => {
    const page = await open();
    await page.fill('[name=text]', 'OOM-single container');
    await expect.poll(() => listShown(page)).toEqual([FAILED_V1, PASSED, 'trixie_v1/oom-single-container']);
    await page.selectOption('[name=verdict]', 'failed');
    await page.selectOption('[name=killer]', 'memcg-oom');
    await expect.poll(() => page.textContent('output')).toBe('1 of 9 cells');
    expect(await listShown(page)).toEqual([FAILED_V1]);
    const hash = new URL(page.url()).hash;
    expect(hash).toBe('#text=OOM-single%20container&verdict=failed&killer=memcg-oom');
    const again = await open({ hash });
    await expect.poll(() => listShown(again)).toEqual([FAILED_V1]);
    expect(await again.inputValue('[name=text]')).toBe('OOM-single container');
  });

  it('has a map whose squares lead to cells and whose rows and columns can be chosen', async () => {
    const page = await open();
    const heads = (): Promise<string[]> => listTexts(page, '.heat thead th');
    expect(await heads()).toEqual(['default', 'v1', 'crun', 'trixie_v1']);
    expect(await page.locator('.heat a').count()).toBe(9);
    await page.selectOption('[name=columns]', 'cgroup');
    expect(await heads()).toEqual(['v2', 'v1']);
    expect(await page.locator('.heat a').count()).toBe(9);
    await page.locator('.heat a').first().focus();
    await page.keyboard.press('ArrowDown');
    const [square] = await listAttributes(page, '.heat a:focus', 'aria-label');
    expect(square).toMatch(/^default\//);
    await page.selectOption('[name=columns]', 'variant');
    // The only cell of its column, behind a box of two columns: what is above and below is in other columns.
    await page.locator('.heat a[aria-label^="crun/"]').focus();
    for (const key of ['ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
    expect(await listAttributes(page, '.heat a:focus', 'aria-label')).toEqual([
      expect.stringMatching(/^crun\//),
    ]);
    await page.locator(`.heat a[aria-label="${square}"]`).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#cell h2');
    expect(square).toContain((await page.title()).split(' - ')[0]);
  });

  it('can be reached by keyboard past the filter', async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('to the cells');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe(FAILED);
  });
});

describe('the page of a cell', () => {
  it('stands alone, says who did it and what to do, and leads back and to its neighbours', async () => {
    const page = await open({ hash: '#verdict=failed' });
    await page.locator(`[data-cell="${FAILED}"] a.address`).click();
    await page.waitForSelector('#cell h2');
    expect(await page.isVisible('#overview')).toBe(false);
    expect(await page.isVisible('header p')).toBe(false);
    expect(await page.title()).toContain(FAILED);
    const text = (await page.textContent('#cell')) ?? '';
    expect(text).toContain('external-signal (from-node), proven');
    expect(text).toContain('the cgroup of the sender says who it was');
    expect(text).toContain(`npx whodunit run ${FAILED}`);
    await page.click('nav .next');
    // The policy of the page forbids the functions that `waitForFunction` makes of a text.
    await page.locator('#cell h2', { hasText: FAILED_V1 }).waitFor();
    expect(await page.title()).toContain(FAILED_V1);
    expect(await page.locator('nav .next').count()).toBe(0); // the filter lets two through
    await page.click('nav .back');
    await page.waitForSelector('#overview:not([hidden])');
    expect(await listShown(page)).toEqual([FAILED, FAILED_V1]);
  });

  it('has all layers on one time axis, with each proof numbered as in the list', async () => {
    const page = await openCell(PASSED);
    const own = '.scroll:not(.twins) > .timeline';
    const lanes = await listTexts(page, `${own} text.lane`);
    expect(lanes).toEqual(['lab', 'API', 'kubelet', 'runtime', 'cgroup', 'kernel']);
    const numbers = await listTexts(page, `${own} .proof text`);
    const proofs = await page.locator('.proofs li').count();
    expect(numbers.map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: proofs }, (_, n) => n + 1),
    );
    expect(await page.locator(`${own} circle.runtime`).count()).toBeGreaterThan(0);
    expect(await page.locator(`${own} .end`).count()).toBe(1);
  });

  it('draws no memory that was read too seldom, and says what was read', async () => {
    const page = await openCell(PASSED);
    expect(await page.locator('.memory-chart').count()).toBe(0);
    const text = (await page.textContent('#cell')) ?? '';
    expect(text).toMatch(/too seldom around the end.*the pod:\s+in use \(2 readings\).*128\.0 MiB/s);
  });

  it('has the lines around each proof, marked, beside a link to a file that is there', async () => {
    const page = await openCell(PASSED);
    const kmsg = page.locator('.excerpt', { hasText: 'kmsg.log' });
    const marked = await kmsg.locator('mark').allTextContents();
    expect(marked.some((line) => line.includes('Killed process 1735 (memory-eater)'))).toBe(true);
    expect(await kmsg.locator('.near').count()).toBeGreaterThan(1);
    const links = await listAttributes(page, '#cell a.file', 'href');
    expect(links.length).toBeGreaterThan(5);
    const missing = links.filter(
      (link) => !existsSync(join(dirname(sample().file), decodeURIComponent(link))),
    );
    expect(missing).toEqual([]);
  });

  it('lays a failed cell beside one of the same scenario that passed', async () => {
    const page = await openCell(FAILED_V1);
    const twin = page.locator('.twin');
    expect(await twin.locator('thead a').textContent()).toBe(PASSED);
    const marked = await twin
      .locator('tr', { has: page.locator('mark') })
      .locator('th')
      .allTextContents();
    expect(marked).toEqual(expect.arrayContaining(['cgroup', 'verdict']));
    expect(await twin.locator('tbody tr').count()).toBeGreaterThan(marked.length);
  });

  it('has claims, measures with their bounds, and versions', async () => {
    const zombies =
      sample().result.cells.find(({ scenario }) => scenario === 'supercronic-zombies')?.address ?? '';
    const measured = await openCell(zombies);
    expect(await measured.locator('.curve').count()).toBeGreaterThan(0);
    expect(await measured.textContent('#cell')).toMatch(/slope .* expected .*holds; because/);
    const crun = await openCell('crun/oom-group-after-reload');
    expect(await crun.textContent('#cell')).toMatch(/versions, as the nodes printed them.*crun/s);
    expect(await crun.locator('.claims tbody tr').count()).toBe(5);
  });

  it('copies its command', async () => {
    const page = await openCell(FAILED);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.copy').first().click();
    await page.locator('.copy', { hasText: 'copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`npx whodunit run ${FAILED}`);
  });
});

describe('without a script', () => {
  it('everything can be read, and links lead to the sections of cells', async () => {
    const page = await open({ script: false });
    const text = await page.locator('body').innerText();
    expect(text).toContain('killed by memcg-oom at pod level');
    for (const { address } of sample().result.cells) {
      const section = page.locator(`[id="cell=${address}"]`);
      expect(await section.isVisible(), address).toBe(true);
    }
    await page.locator(`[data-cell="${FAILED}"] a.address`).click();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#cell=${FAILED}`);
    expect(await page.locator(':target h2').textContent()).toContain(FAILED);
  });
});

describe.each(WIDTHS)('at %i pixels', (width) => {
  it.each(['light', 'dark'] as const)(
    'nothing is wider than the page, and axe finds nothing: %s',
    async (scheme) => {
      for (const hash of ['', `#cell=${FAILED_V1}`, `#cell=${PASSED}`]) {
        const page = await open({ width, scheme, hash });
        for (const summary of await page.locator('summary:visible').all()) await summary.click();
        const { wide, found } = await inspect(page);
        expect(wide, hash).toBeLessThanOrEqual(width);
        expect(found, hash).toEqual([]);
      }
    },
  );
});

interface Inspected {
  readonly wide: number;
  readonly found: string[];
}

async function inspect(page: Page): Promise<Inspected> {
  await page.evaluate(axe.source);
  return page.evaluate<Inspected>(`axe.run().then(({ violations }) => ({
    wide: document.documentElement.scrollWidth,
    found: violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ' ' + html + ' ' + failureSummary)),
  }))`);
}
