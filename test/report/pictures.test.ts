import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUnseen, openPicture, REPORT_PICTURES } from '../../bin/docs/report-pictures.ts';
import { useCapturesReport } from './use-report.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const IMAGES = join(PROJECT, 'docs', 'images');

describe('the pictures of the docs', () => {
  it('are those that `npm run pictures` draws, each small', () => {
    const drawn = ['verdict.svg', ...REPORT_PICTURES.map(({ file }) => file)];
    expect(readdirSync(IMAGES).toSorted()).toEqual(drawn.toSorted());
    for (const file of drawn)
      expect([file, statSync(join(IMAGES, file)).size < 80_000]).toEqual([file, true]);
  });

  it('have the caption of what they must show', () => {
    const pages = ['README.md', 'docs/report.md']
      .map((page) => readFileSync(join(PROJECT, page), 'utf8'))
      .join('');
    const captions = new Map(REPORT_PICTURES.map(({ file, caption }) => [file, caption]));
    const shown = [...pages.matchAll(/!\[([^\]]+)\]\((?:docs\/)?images\/(\S+\.png)\)/g)];
    expect(shown.length).toBeGreaterThan(4);
    for (const [, caption = '', file = ''] of shown)
      expect([file, caption]).toEqual([file, captions.get(file)]);
    const files = shown.map(([, , file]) => file);
    for (const [file, caption] of captions)
      expect([file, files.includes(file)]).toEqual([file, caption !== undefined]);
  });

  describe('of real captures', () => {
    const captures = useCapturesReport();

    it.each(REPORT_PICTURES.map((picture) => [picture.file, picture] as const))(
      'show in %s what its caption says',
      async (_, picture) => {
        const { page, troubles, close } = await openPicture(captures.browser(), captures.file(), picture);
        expect(await findUnseen(page, picture)).toEqual([]);
        expect(troubles).toEqual([]);
        await close();
      },
    );
  });
});
