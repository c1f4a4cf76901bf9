import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatBlock } from '../../../../bin/format-block.ts';
import { DOC_BLOCKS } from '../../../../bin/docs/doc-blocks.ts';
import { findBlock } from '../../../../bin/docs/marked-block.ts';
import { PROJECT, readProjectText } from '../../project-files.ts';

const CASES = DOC_BLOCKS.map((block) => [block.page, block.name, block] as const);

it.each(CASES)('docs/%s has %s as the code has it: else run `npm run docs`', async (_, __, block) => {
  const page = join('docs', block.page);
  const written = findBlock(readProjectText(page), block.name);
  expect(written).toBe(await formatBlock(block.render(), join(PROJECT, page)));
});
