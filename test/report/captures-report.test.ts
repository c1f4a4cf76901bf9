import { describe, expect, it } from 'vitest';
import { openReport } from './report-page.ts';
import { useCapturesReport } from './use-report.ts';

const captures = useCapturesReport();

describe('what failed', () => {
  it.each([1280, 800, 390])('is to be read without scrolling to the right, at %i pixels', async (width) => {
    const { page, close } = await openReport(captures.browser(), captures.file(), { width });
    const wide = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.cell')]
        .filter((cell) => [...cell.querySelectorAll('.scroll')].some((box) => box.scrollWidth > box.clientWidth))
        .map((cell) => cell.dataset.cell)`,
    );
    expect(wide).toEqual([]);
    await close();
  });

  it('says once what became of a known bug', async () => {
    const { page, close } = await openReport(captures.browser(), captures.file());
    const card = page.locator('[data-cell="default/slow-pull"]');
    expect((await card.textContent())?.match(/slow-image-blocks-pulls(?!\.yaml)/g)).toHaveLength(1);
    await close();
  });
});
