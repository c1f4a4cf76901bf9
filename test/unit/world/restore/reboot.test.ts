import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import type { Guest, Host } from '../../../../lab/model/host/host.ts';
import { connectAll } from '../../../../lab/world/connect.ts';
import { awaitReboot, rebootNode } from '../../../../lab/world/restore/reboot.ts';
import type { UsedWorld } from '../../../../lab/world/world.ts';
import { createFakeGuest } from '../../../fake-guest.ts';
import { createQuietHost } from '../../../quiet-host.ts';
import { answerScripts, startSshServer, type SshServer } from '../../../ssh-server.ts';

/** The time of this host and of its nodes, which stands: no answer is late. */
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Nobody sleeps for long. */
const HASTY = {
  now: () => NOW,
  elapsed: () => systemClock.elapsed(),
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 5), signal),
};

let dir: string;
let host: Host;
let interrupt: AbortController;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'whodunit-reboot-'));
  interrupt = new AbortController();
  host = createQuietHost(dir, {
    clock: HASTY,
    signal: interrupt.signal,
    waitFor: createWaitFor(HASTY, interrupt.signal),
  });
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('a node that is rebooted in a cell', () => {
  let server: SshServer;
  let scripts: string[];
  beforeEach(async () => {
    scripts = [];
    // The old boot still answers once after it was asked to reboot.
    const boots = ['old', 'old', 'new', 'new'];
    server = await startSshServer(
      answerScripts((script) => {
        if (script.includes('date -u -s')) {
          scripts.push('clock');
          return String(NOW);
        }
        scripts.push(script.includes('boot_id') ? 'boot?' : 'reboot');
        return script.includes('boot_id') ? `${boots.shift() ?? 'new'}\n` : 'said';
      }),
    );
  });
  afterEach(() => server.close());

  it('goes on over a new connection: the collection first, then the API', async () => {
    const { target } = server;
    const sshKey = join(dir, 'key');
    writeFileSync(sshKey, target.privateKey);
    const record = {
      name: 'default',
      nodes: [{ name: 'node-1', domain: 'd', sshPort: target.port, memoryMiB: 1 }],
      image: { sshKey, hostKey: target.hostKey },
    };
    const order: string[] = [];
    const kubernetes = {
      get: async () => (order.push('api'), { status: order.length < 3 ? 503 : 200, text: 'not yet' }),
      reopen: () => order.push('reopened'),
    };
    const world = { record, guests: [], kubernetes, phase: 'used' } as unknown as UsedWorld;
    const [old] = await connectAll({ host }, world.record);
    world.guests.push(old!);
    let resumed: Guest | undefined;
    const said = await rebootNode(host, world, old!, 'crash', async (guest) => {
      order.push('resumed');
      resumed = guest;
    });
    expect(said).toBe('said');
    expect(scripts).toEqual(['boot?', 'reboot', 'boot?', 'boot?', 'clock']);
    expect(order).toEqual(['resumed', 'api', 'api', 'reopened']);
    expect(world.guests).toEqual([resumed]);
    await expect(old!.must('true')).rejects.toThrow();
    resumed?.close();
  });
});

describe('waiting for nodes to come back', () => {
  it('closes the connections that it does not keep, and needs a new boot of every node', async () => {
    const made: ReturnType<typeof createFakeGuest>[][] = [];
    const boots = [
      ['a1', 'b2'],
      ['a2', 'b2'],
    ];
    const reconnect = async (): Promise<Guest[]> => {
      const [a = '', b = ''] = boots[made.length] ?? [];
      const nodeOf = (name: string, boot: string): ReturnType<typeof createFakeGuest> =>
        createFakeGuest(name, (script) => (script.includes('boot_id') ? boot : String(NOW)));
      made.push([nodeOf('node-1', a), nodeOf('node-2', b)]);
      return made.at(-1) ?? [];
    };
    const back = await awaitReboot(host, ['a1', 'b1'], reconnect);
    expect(back.map(({ bootId }) => bootId)).toEqual(['a2', 'b2']);
    expect(made.map((guests) => guests.map((guest) => guest.isClosed()))).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('ends with an interrupt, and leaves no connection', async () => {
    const guest = createFakeGuest('node-1', () => (interrupt.abort(), 'a1'), interrupt.signal);
    await expect(awaitReboot(host, ['a1'], async () => [guest])).rejects.toMatchObject({
      code: 'LAB_INTERRUPTED',
    });
    expect(guest.isClosed()).toBe(true);
  });
});
