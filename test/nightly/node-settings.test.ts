import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NODE_SETTINGS } from '../../lab/model/declared/node-settings.ts';
import type { RunResult } from '../../lab/model/saved/formats.ts';
import { createTestLab, PROJECT, type TestLab } from '../lab/lab-process.ts';

const OWN = join(PROJECT, 'test/fixtures/whole-node');

describe('a node with one of each setting', () => {
  let lab: TestLab;

  beforeAll(() => {
    lab = createTestLab();
  });
  afterAll(async () => {
    await lab.run('down', '--all');
    lab.remove();
  });

  // A world whose node is not what its knob says is never used: the oracle reads each setting back.
  it('comes up, and the killer of a pod is named there', async () => {
    const { knobs } = parse(readFileSync(join(OWN, 'matrix.yaml'), 'utf8')) as {
      readonly knobs: Readonly<Record<string, object>>;
    };
    expect(Object.keys(knobs['whole-node'] ?? {})).toEqual(expect.arrayContaining([...NODE_SETTINGS]));
    const words = ['oom-single-container', 'knobs=whole-node', '--project', OWN, '--json'];
    const result = await lab.run('run', ...words);
    expect(result.status, result.stderr).toBe(0);
    const { cells } = JSON.parse(result.stdout) as RunResult;
    expect(cells.map(({ attribution }) => attribution.killer)).toEqual(['memcg-oom']);
  });
});
