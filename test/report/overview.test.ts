import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useSampleReport } from './use-report.ts';

const CAPTURES = [
  'sigkill-from-node',
  'oom-single-container',
  'oom-single-container--v1',
  'exit-one',
  'within-limits',
  'delete-ignored',
];
const FAILED = 'default/sigkill-from-node';
const FAILED_V1 = 'v1/oom-single-container';
const PASSED = 'default/oom-single-container';
const INCONCLUSIVE = 'default/exit-one';

const { open } = useSampleReport(CAPTURES);

const heading = (page: Page): Promise<string | null> => page.textContent('#cell h2');
const focused = async (page: Page): Promise<string> =>
  (await page.evaluate<string>(`document.activeElement.textContent`)).trim();

/** The box of an element, which has to be there. */
async function boxOf(
  page: Page,
  selector: string,
): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return box;
}

/** Addresses of cells that are let through. */
const listFitting = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.cell:not([hidden])')].map((cell) => cell.dataset.cell)`,
  );

describe('the first screen', () => {
  it('has the map, and what failed beside it; on a phone below it', async () => {
    const wide = await open();
    const [map, failed] = [await boxOf(wide, '.map'), await boxOf(wide, 'article.failed')];
    expect(map.y).toBeLessThan(900);
    expect(failed.x).toBeGreaterThan(map.x + map.width);
    expect(failed.y).toBeLessThan(map.y + 100);
    const narrow = await open({ width: 390 });
    expect((await boxOf(narrow, 'article.failed')).y).toBeGreaterThan((await boxOf(narrow, '.map')).y);
  });

  it('says which whodunit wrote it, and what earlier runs said of a cell', async () => {
    const page = await open();
    expect(await page.textContent('.tool')).toMatch(/^whodunit \d+\.\d+\.\d+/);
    const past = page.locator(`[data-cell="${FAILED}"] .past`);
    expect(await past.textContent()).toBe('✓✗');
    expect(await past.getAttribute('aria-label')).toBe('2 runs, 1 of 2 failed, the verdict changed 1 time');
    expect(await page.locator(`[data-cell="${INCONCLUSIVE}"] .past`).count()).toBe(0);
  });

  it('keeps the heads of the map in sight, and says how many columns are not', async () => {
    const page = await open({ width: 390 });
    expect(await page.isVisible('#more-columns')).toBe(false);
    await page.setViewportSize({ width: 230, height: 900 });
    await page.locator('#more-columns').waitFor();
    expect(await page.textContent('#more-columns')).toMatch(/^\d of 3 columns fit: scroll to the right/);
    const top = (await boxOf(page, '.heat thead th')).y;
    await page.evaluate(`document.querySelector('.map').style.maxHeight = '180px'`);
    await page.evaluate(`document.querySelector('.map').scrollTo(40, 60)`);
    expect((await boxOf(page, '.heat thead th')).y).toBeCloseTo(top, 0);
    expect((await boxOf(page, '.heat tbody th')).x).toBeGreaterThan(0);
  });

  it('has menus with numbers, without what no cell has', async () => {
    const page = await open();
    const options = async (name: string): Promise<string[]> =>
      page.locator(`[name=${name}] option`).allTextContents();
    expect(await options('verdict')).toEqual([
      'all (7)',
      'passed (3)',
      'failed (2)',
      'inconclusive (1)',
      'skipped (1)',
    ]);
    const killers = await options('killer');
    expect(killers).toContain('memcg-oom (2)');
    expect(killers.some((text) => text.includes('(0)'))).toBe(false);
  });

  it('aligns the killers of the cells that passed', async () => {
    const page = await open();
    await page.getByText('3 cells passed').click();
    const lefts = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.rows .passed .told')].map((told) => told.getBoundingClientRect().left)`,
    );
    expect(lefts.length).toBe(3);
    expect(new Set(lefts).size).toBe(1);
  });

  it('says what a square is as soon as it is pointed at', async () => {
    const page = await open();
    await page.locator('.heat a.failed').first().hover();
    expect(await page.textContent('#tip')).toMatch(/^default\/sigkill-from-node: failed, external-signal/);
  });
});

describe('search', () => {
  it.each([
    ['a reason of the API', 'OOMKilled', [FAILED, FAILED_V1, PASSED]],
    ['an exit code as a whole number', '137', [FAILED, FAILED_V1, PASSED, 'default/delete-ignored']],
    ['no part of a number', '1735', [PASSED]],
    ['a value of an axis', 'cgroup=v1', [FAILED_V1, 'trixie_v1/oom-single-container']],
    ['a proof', 'from pid 1760 (bash)', [FAILED]],
    ['several words in any case', 'GROUP-KILL eater', [PASSED]],
    ['nothing', 'no-such-word', []],
  ])('finds %s', async (_, text, found) => {
    const page = await open();
    await page.fill('[name=text]', text);
    await expect.poll(() => page.textContent('output')).toBe(`${found.length} of 7 cells`);
    expect((await listFitting(page)).toSorted()).toEqual(found.toSorted());
  });
});

describe('keys', () => {
  it('go to the search, from cell to cell, and back', async () => {
    const page = await open();
    await page.keyboard.press('j');
    expect(await focused(page)).toBe(FAILED);
    await page.keyboard.press('j');
    expect(await focused(page)).toBe(FAILED_V1);
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await expect.poll(() => heading(page)).toContain(FAILED);
    await page.keyboard.press('j');
    await expect.poll(() => heading(page)).toContain(FAILED_V1);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => heading(page)).toContain(FAILED);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => heading(page)).toContain(FAILED_V1);
    await page.keyboard.press('Escape');
    await page.locator('#overview').waitFor();
    expect(await focused(page)).toBe(FAILED_V1);
    await page.keyboard.press('/');
    await page.keyboard.type('jk/');
    expect(await page.inputValue('[name=text]')).toBe('jk/');
    await page.keyboard.press('Escape');
    expect(await page.inputValue('[name=text]')).toBe('');
    await expect.poll(() => listFitting(page)).toHaveLength(7);
    expect(await page.textContent('.keys')).toMatch(/\/.*search.*j.*k.*Enter.*Esc/s);
  });

  it('go from the page of a cell to the search', async () => {
    const page = await open({ hash: `#cell=${FAILED}` });
    await page.locator('#cell h2').waitFor();
    await page.keyboard.press('/');
    await page.locator('#overview').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('text');
  });
});

describe('links', () => {
  it('lead to a cell without a frame around its heading', async () => {
    const page = await open({ hash: `#cell=${FAILED}` });
    await page.locator('#cell h2').waitFor();
    const [name, outline] = await page.evaluate<string[]>(
      `[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]`,
    );
    expect([name, outline]).toEqual(['H2', 'none']);
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('to a cell that is not there say so, and name the nearest ones', async () => {
    const page = await open({ hash: '#cell=default/oom-single-containr' });
    expect(await page.textContent('#unknown')).toMatch(
      /This run has no cell default\/oom-single-containr\. The nearest names are: /,
    );
    expect(await page.isVisible('#overview')).toBe(true);
    await page.locator('#unknown a').first().click();
    await expect.poll(() => heading(page)).toContain(PASSED);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.isVisible('#unknown')).toBe(false);
  });
});

describe('on paper', () => {
  it('colours stay, what cannot be used goes, and no page is cut off', async () => {
    const page = await open({ hash: `#cell=${FAILED}` });
    await page.locator('#cell h2').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.isVisible('#cell nav')).toBe(false);
    // A cell may begin on the first page, however long it is.
    const style = (element: string, name: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${element}'))['${name}']`);
    expect(await style('#cell article', 'break-inside')).toBe('auto');
    const overview = await open();
    await overview.emulateMedia({ media: 'print' });
    expect(await overview.isVisible('#filter')).toBe(false);
    const [adjust, overflow] = await overview.evaluate<string[]>(
      `[getComputedStyle(document.querySelector('.heat .square')).printColorAdjust, getComputedStyle(document.querySelector('.map')).overflow]`,
    );
    expect([adjust, overflow]).toEqual(['exact', 'visible']);
  });
});
