import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../lab/model/saved/formats.ts';
import { createLabOf, type TestLab } from '../lab/lab-process.ts';
import { expectNothingLeft, expectOwnMachine, readWorld } from '../lab/rootless-traces.ts';
import { createTestUser, type TestUser } from '../lab/test-user.ts';

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('the main path as a normal user (needs root, to make that user)', () => {
  let user: TestUser;
  let lab: TestLab;

  beforeAll(async () => {
    user = await createTestUser('whodunit-nightly', 'programs');
    lab = createLabOf(user);
  });

  afterAll(async () => {
    await user.remove();
  });

  it('makes its image, names the right killer and leaves nothing', async () => {
    const result = await lab.run('run', 'oom-single-container', '--json');
    expect(result.status, result.stdout).toBe(0);
    const { cells } = JSON.parse(result.stdout) as RunResult;
    const killers = Object.fromEntries(cells.map((cell) => [cell.address, cell.attribution.killer]));
    expect(killers).toEqual({ 'default/oom-single-container': 'memcg-oom' });
    const world = readWorld(lab);
    await expectOwnMachine(user, world);
    const down = await lab.run('down', '--all');
    expect(down.status, down.stderr).toBe(0);
    await expectNothingLeft(user, lab, world);
  });
});
