import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPlan } from '../../../bin/reliability/crash-plans.ts';
import { openEngine, type Engine } from '../../../bin/reliability/engine.ts';
import { createKiller, type CommandKiller } from '../../../bin/reliability/killer.ts';
import { createRandom } from '../../random.ts';

/** Ends a test that hangs: a case takes some seconds, on a busy host half a minute. */
const CASE_MS = 5 * 60_000;

/** Everybody but root has a session daemon of libvirt, whose socket the stand-in has not. */
export const lacksRoot = process.getuid?.() !== 0;

/** Opens the lab on a stand-in host for the tests of a file. Returns what gives it to them. */
export function useEngine(): () => Engine {
  let folder: string;
  let engine: Engine;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whodunit-reliability-'));
    engine = await openEngine(folder);
  }, CASE_MS);
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => engine;
}

/**
 * One test for each plan: its command is killed or interrupted, and leaves nothing behind.
 *
 * @param home the name of its state folder.
 */
export function testCrashes(
  openedEngine: () => Engine,
  { what, home }: { readonly what: string; readonly home: string },
  plans: readonly CrashPlan[],
): void {
  describe.skipIf(lacksRoot)(what, () => {
    let killer: CommandKiller;
    beforeAll(() => (killer = createKiller(openedEngine(), createRandom(1), home)));
    it.each(
      plans.map(
        (plan) =>
          [
            `${plan.kind}, by ${plan.by ?? 'SIGKILL'} at ${plan.at ?? ''}, then ${plan.next ?? ''}`,
            plan,
          ] as const,
      ),
    )(
      'leaves nothing behind and breaks nothing: %s',
      async (_, plan) => {
        expect(await killer.crash(plan)).toMatchObject({ problems: [] });
      },
      CASE_MS,
    );
  });
}
