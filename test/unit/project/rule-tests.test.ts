import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../project-files.ts';

const RULES = 'lab/judge/killer/rules';

it.each(readdirSync(join(PROJECT, RULES)))('%s has a test of its name', (name) => {
  const test = join('test/unit/judge/killer/rules', name.replace(/\.ts$/, '.test.ts'));
  expect(existsSync(join(PROJECT, test)), `${test} is missing`).toBe(true);
});
