import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHOSEN_CRASHES } from '../../bin/reliability/crash-plans.ts';
import { openEngine, type Engine } from '../../bin/reliability/engine.ts';
import { createKiller, type Killer } from '../../bin/reliability/killer.ts';
import { createRandom } from '../random.ts';

let folder: string;
let engine: Engine;
let killer: Killer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-reliability-'));
  engine = await openEngine(folder);
  killer = createKiller(engine, createRandom(1));
}, 120_000);
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

// Everybody but root has a session daemon of libvirt, whose socket the stand-in has not.
describe.skipIf(process.getuid?.() !== 0)('a lab that is killed', () => {
  it.each(
    CHOSEN_CRASHES.map(
      (plan) => [`${plan.kind}, at ${plan.at ?? ''}, then ${plan.next ?? ''}`, plan] as const,
    ),
  )(
    'leaves nothing behind and breaks nothing: %s',
    async (_, plan) => {
      expect(await killer.crash(plan)).toMatchObject({ problems: [] });
    },
    120_000,
  );
});
