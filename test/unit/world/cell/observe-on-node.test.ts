import { describe, expect, it } from 'vitest';
import { createWaitFor } from '../../../../lab/drivers/clock.ts';
import type { Clock, Host } from '../../../../lab/model/host/host.ts';
import { observeOnNode } from '../../../../lab/world/cell/observe-on-node.ts';
import { createFakeGuest } from '../../../fake-guest.ts';
import { DYING } from './dying-scenario.ts';

const SCENARIO = {
  ...DYING,
  victim: { ...DYING.victim, namespace: 'kube-system', onNode: 'etcd-node-1', container: 'etcd' },
};

/** What ended the watching, when the folder of the logs has these names in one look after the other. */
async function observe(...looks: string[]): Promise<string> {
  let ms = 0;
  const clock: Clock = { now: () => ms, elapsed: () => ms, sleep: async (pause) => void (ms += pause) };
  const host = { clock, waitFor: createWaitFor(clock) } as Host;
  const guest = createFakeGuest('node-1', () => (looks.length > 1 ? looks.shift() : looks[0]) ?? '');
  const why = await observeOnNode(host, guest, SCENARIO, SCENARIO.timeoutSeconds * 1000);
  expect(guest.asked[0]).toContain("ls /var/log/pods/'kube-system_etcd-node-1_'*/'etcd' ");
  return why;
}

describe('a victim whose API is gone is watched on its node', () => {
  it('until it has a log of a second attempt', async () => {
    expect(await observe('', '0.log\n', '0.log\n1.log\n')).toBe('it died and was started again: attempt 1');
  });

  it('even when the log of its first attempt is gone by then, and another one was rotated', async () => {
    expect(await observe('0.log\n', '3.log\n3.log.20260101-000000\n')).toBe(
      'it died and was started again: attempt 3',
    );
  });

  it.each([
    ['', 'time is up; no log of it'],
    ['0.log\n', 'time is up; its first attempt'],
  ])('until the time is up: %j', async (names, why) => {
    expect(await observe(names)).toBe(why);
  });
});
