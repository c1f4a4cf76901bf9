import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import { connectGuest } from '../../../../lab/drivers/ssh/ssh.ts';
import type { Guest, Look } from '../../../../lab/model/host/host.ts';
import { DISK_HAS_ROOM, KUBELET_HEALTH } from '../../../../provision/probes/node-probes.ts';
import { NEVER, probeNode } from '../../../../provision/probes/probe.ts';
import { startSshServer, type SshServer } from '../../../ssh-server.ts';

let server: SshServer;
let guest: Guest;
beforeEach(async () => {
  server = await startSshServer();
  const host = { waitFor: createWaitFor(systemClock), signal: new AbortController().signal };
  guest = await connectGuest(server.target, host, { timeoutMs: 10_000 });
});
afterEach(async () => {
  guest.close();
  await server.close();
});

const look = (script: string): Promise<Look<string>> =>
  probeNode(guest, { ...KUBELET_HEALTH, script }).look();

describe('a probe of a node', () => {
  it('is told by the status of its script; its last line is what was seen', async () => {
    expect(await look('echo first; echo last')).toEqual({ done: true, value: 'last' });
    expect(await look('echo no; exit 3')).toEqual({ done: false, seen: 'no' });
    expect(await look('echo why >&2; exit 3')).toEqual({ done: false, seen: 'why' });
    expect(await look('exit 3')).toEqual({ done: false, seen: 'exit 3' });
    expect(await look(`echo never; exit ${NEVER}`)).toEqual({ done: false, seen: 'never', impossible: true });
  });
});

describe('the health of a kubelet', () => {
  it('is what its health port answers', async () => {
    const answers: [number, string][] = [
      [200, 'ok'],
      [500, '[-]syncloop failed'],
    ];
    const kubelet = createServer((_request, response) => {
      const [status, text] = answers.shift() ?? [404, ''];
      response.writeHead(status).end(text);
    });
    await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
    const script = KUBELET_HEALTH.script.replace('10248', String((kubelet.address() as AddressInfo).port));
    expect(await look(script)).toEqual({ done: true, value: 'ok' });
    expect(await look(script)).toEqual({ done: false, seen: '[-]syncloop failed' });
    await new Promise((resolve) => kubelet.close(resolve));
    expect(await look(script)).toMatchObject({
      done: false,
      seen: expect.stringContaining('refused') as string,
    });
  });
});

describe('the disk of a node', () => {
  const lookAt = (used: string): Promise<Look<string>> =>
    look(`df() { printf 'Use%% IUse%%\\n%s\\n' '${used}'; }\n${DISK_HAS_ROOM.script}`);

  it('has room where the kubelet sees no pressure by its defaults', async () => {
    const seen = '85 % of the bytes and 95 % of the inodes are used';
    expect(await lookAt(' 85%   95%')).toEqual({ done: true, value: seen });
  });

  it('has none with more bytes or inodes in use, and waiting frees nothing', async () => {
    for (const used of ['86%  1%', ' 1%   96%'])
      expect(await lookAt(used)).toMatchObject({ done: false, impossible: true });
  });
});
