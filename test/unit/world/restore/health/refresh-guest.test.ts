import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refreshGuest } from '../../../../../lab/world/restore/health/refresh-guest.ts';
import { createFakeGuest } from '../../../../fake-guest.ts';
import { createFakeLab } from '../../fake-world.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'whodunit-refresh-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Sets the clock of a guest that gets each question so late, in milliseconds. Returns how often it was set. */
async function refresh(...late: number[]): Promise<number> {
  let ms = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => ms, elapsed: () => ms, sleep: async (pause: number) => void (ms += pause) };
  const { host } = createFakeLab(folder, { host: { clock } });
  let times = 0;
  const guest = createFakeGuest('node-1', async (script) => {
    const told = Number(/date -u -s "@([\d.]+)"/.exec(script)?.[1]) * 1000;
    await host.clock.sleep(late[times] ?? late.at(-1) ?? 0);
    times += 1;
    return `seeded\n${Math.round(told)}\n`;
  });
  await refreshGuest(host, guest);
  return times;
}

it('the clock of a guest is set once where the time arrives fresh', async () => {
  expect(await refresh(300)).toBe(1);
});

it('it is set again where the time was old when it arrived, and given up when it always is', async () => {
  expect(await refresh(5_800, 1_500, 400)).toBe(3);
  await expect(refresh(2_500)).rejects.toMatchObject({
    code: 'LAB_UNHEALTHY',
    message: 'the clock of node-1 may be behind by 2.5 s: this host is too busy to set it',
  });
});
