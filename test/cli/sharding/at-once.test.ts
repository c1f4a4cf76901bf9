import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DRAWS_ALL } from '../../fixtures/properties.ts';
import { planCaptures, runShard } from '../support/shards.ts';
import { cellsOfOneShard, mergedCells } from '../support/work-folder.ts';

/** `npm test` takes some of the captures. */
const CELLS = DRAWS_ALL ? Infinity : 40;
const SHARDS = Array.from({ length: 8 }, (_, index) => index + 1);

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'whodunit-at-once-'))));
afterAll(() => rmSync(folder, { recursive: true }));

it('eight shards that judge captures at once say together what one shard says', async () => {
  const sharded = await planCaptures(folder, SHARDS.length, CELLS);
  await Promise.all(SHARDS.map((shard) => runShard(sharded, shard)));
  const merged = await mergedCells(join(folder, 'here'), sharded);
  expect(merged.length).toBeGreaterThanOrEqual(40);
  expect(merged).toEqual(await cellsOfOneShard(join(folder, 'one'), CELLS));
});
