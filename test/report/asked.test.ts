import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { loadCapture } from '../fixtures/evidence/load-capture.ts';
import { useSampleReport } from './use-report.ts';

/** One that saved what its scenario asked for, one that is older, and one that is told to expect something else. */
const CAPTURES = ['startup-probe-ends-pod', 'oom-single-container', 'sigkill-from-node'];
const { open } = useSampleReport(CAPTURES);

const openCell = (capture: string): Promise<Page> =>
  open({ hash: `#cell=${encodeURIComponent(loadCapture(capture).record.address)}` });

/** What the page has behind a name of its summary. */
const readRow = (page: Page, name: string): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('#cell dt')].filter((name) => name.textContent === '${name}').map((name) => name.nextElementSibling.textContent)`,
  );

describe('what a scenario asked for, on the page of its cell', () => {
  it('is its title, its manifests and what it expected', async () => {
    const page = await openCell('startup-probe-ends-pod');
    const { title } = loadCapture('startup-probe-ends-pod').record;
    expect(await readRow(page, 'scenario')).toEqual([title]);
    expect(await readRow(page, 'expected')).toEqual([
      expect.stringMatching(/liveness-probe.*: all of it holds/),
    ]);
    const manifest = page.locator('#cell details.manifest');
    expect(await manifest.locator('summary').textContent()).toBe('manifests');
    expect(await manifest.locator('pre').isVisible()).toBe(false);
    await manifest.locator('summary').click();
    const lines = (await manifest.locator('pre').innerText()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['apiVersion: v1', 'kind: Pod']));
    expect(lines.some((line) => /^\s+startupProbe:/.test(line))).toBe(true);
    expect(await page.locator('#cell .hint', { hasText: 'did not save' }).count()).toBe(0);
  });

  it('is the pod as the API first had it where nothing else was saved, and the page says so', async () => {
    const page = await openCell('oom-single-container');
    expect(await readRow(page, 'scenario')).toEqual([]);
    expect(await page.locator('#cell .hint', { hasText: 'did not save' }).textContent()).toBe(
      'This run did not save the title and the manifests of its scenario.',
    );
    const manifest = page.locator('#cell details.manifest');
    expect(await manifest.locator('summary').textContent()).toBe(
      'the pod of the victim, as the API first had it',
    );
    await manifest.locator('summary').click();
    expect(await manifest.locator('pre').innerText()).toMatch(
      /^spec:$[^]*^ {4}- name: eater$[^]*^ {8}limits:\n {10}memory: 128Mi$/m,
    );
  });

  it('is beside what was observed where that differs', async () => {
    const page = await openCell('sigkill-from-node');
    const rows = await page
      .locator('#cell table', { hasText: 'observed' })
      .first()
      .locator('tbody tr')
      .allInnerTexts();
    expect(rows.map((row) => row.split('\t'))).toContainEqual([
      'killer',
      expect.stringContaining('killed by memcg-oom at pod level'),
      expect.stringContaining('ended by external-signal'),
    ]);
  });
});
