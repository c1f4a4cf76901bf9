import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBlock } from '../../../../bin/docs/marked-block.ts';
import { LONG_PAGES, renderContents } from '../../../../bin/docs/render-contents.ts';
import { formatBlock } from '../../../../bin/format-block.ts';
import { PROJECT, readProjectText } from '../../project-files.ts';

describe('the contents of a page', () => {
  it('link to its headings as a site names them, and to no line of code', () => {
    const page =
      '# A\n\n## One: `x`\n\n### Same\n\n```console\n## no\n```\n\n## Two\n\n### Same\n\n#### Deep\n';
    expect(renderContents(page)).toBe('- [One: `x`](#one-x): [Same](#same)\n- [Two](#two): [Same](#same-1)');
  });

  it.each(LONG_PAGES)('of %s are what it has; else run `npm run docs`', async (name) => {
    const text = readProjectText(`docs/measured/${name}`);
    const contents = await formatBlock(renderContents(text), join(PROJECT, 'docs/measured', name));
    expect(findBlock(text, 'contents')).toBe(contents);
  });
});
