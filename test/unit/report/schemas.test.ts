import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderSchemas } from '../../../lab/report/render-schemas.ts';
import { PROJECT } from '../project-files.ts';

describe('docs/schemas', () => {
  const folder = join(PROJECT, 'docs/schemas');

  it('holds exactly what `npm run docs` writes', () => {
    const rendered = renderSchemas();
    expect(readdirSync(folder).sort()).toEqual([...rendered.keys()].sort());
    for (const [name, text] of rendered) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text);
  });
});
