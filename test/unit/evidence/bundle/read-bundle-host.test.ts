import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBundle } from '../../../../lab/evidence/bundle/read-bundle.ts';
import { linesOf } from '../../../../lab/evidence/lines.ts';
import { SEED } from '../../../fixtures/properties.ts';
import { createRandom } from '../../../random.ts';

/** Where a host has texts of all kinds: sources, manuals, changes, settings. */
const FOLDERS = ['node_modules', '/usr/share/doc', '/usr/share/perl', '/usr/lib/python3'];
const COUNT = 5000;
const MAX_BYTES = 300_000;

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:js|ts|json|md|txt|ya?ml|css|html|pl|pm|py|map|cfg)$|\/[A-Za-z]+$/.test(name))
      .map((name) => join(folder, name));
  } catch {
    // This host has no such folder.
    return [];
  }
}

it('takes none of 5,000 texts of a host for evidence', async () => {
  const all = FOLDERS.flatMap(filesBelow).sort();
  const random = createRandom(SEED);
  const taken: string[] = [];
  let read = 0;
  while (read < COUNT) {
    const path = all[Math.floor(random() * all.length)] ?? '';
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size > MAX_BYTES) continue;
    read += 1;
    const { sources } = await readBundle([{ path, lines: linesOf(readFileSync(path, 'utf8')) }]);
    for (const { format, lines } of sources) taken.push(`${path}: ${lines} lines of ${format}`);
  }
  expect(taken).toEqual([]);
});
