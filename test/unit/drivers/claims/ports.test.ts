import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { reserveGroupPort, reservePorts } from '../../../../lab/drivers/claims/ports.ts';

const [first = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  .trim()
  .split(/\s+/)
  .map(Number);

describe('ports of the host', () => {
  it.skipIf(first < 20_000)(
    'are none that an outgoing connection is given while a world is made or parked',
    async () => {
      const ports = await reservePorts(50);
      expect(ports.filter((port) => port >= first)).toEqual([]);
      expect(new Set(ports).size).toBe(50);
      expect(await reserveGroupPort('239.192.7.7')).toBeLessThan(first);
    },
  );

  it('are free', async () => {
    const [port = 0] = await reservePorts(1);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    server.close();
    expect(port).toBeGreaterThan(0);
  });
});
