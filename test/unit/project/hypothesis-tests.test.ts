import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../project-files.ts';

const HYPOTHESES = 'lab/judge/killer/hypotheses';

it.each(readdirSync(join(PROJECT, HYPOTHESES)))('%s has a test of its name', (name) => {
  const test = join('test/unit/judge/killer/hypotheses', name.replace(/\.ts$/, '.test.ts'));
  expect(existsSync(join(PROJECT, test)), `${test} is missing`).toBe(true);
});
