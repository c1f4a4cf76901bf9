import { createSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { HostError } from '../model/errors.ts';
import type { LeaseBook } from './leases.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Returns ports on 127.0.0.1 that the operating system gave out. All are held open together, so that they differ, and
 * then closed. Whoever is to listen must do so soon.
 *
 * @param leases what is leased: a port of it must not be given out although nothing may listen on it. A parked world
 *   listens on its ports again when it comes back.
 * @throws HostError when the host has no port left.
 */
export async function reservePorts(count: number, leases?: Pick<LeaseBook, 'open'>): Promise<number[]> {
  const leased = (leases?.open() ?? []).filter(({ kind }) => kind === 'port');
  const taken = new Set(leased.map(({ target }) => Number(target)));
  const servers: Server[] = [];
  try {
    const ports: number[] = [];
    while (ports.length < count) {
      const server = createServer();
      servers.push(server);
      const port = await listen(server);
      if (!taken.has(port)) ports.push(port);
    }
    return ports;
  } catch (error) {
    throw new HostError('LAB_PORTS', `no free TCP port on ${LOOPBACK}`, {
      tryNext: 'see who listens: ss -ltnp',
      cause: error,
    });
  } finally {
    await Promise.all(servers.map(close));
  }
}

/**
 * Returns a free UDP port of a multicast group: no QEMU of another world has joined it (it joins with SO_REUSEADDR and
 * would share the port), and no program is bound to it on all addresses.
 *
 * @throws HostError when the host has no port left, or no multicast.
 */
export async function reserveGroupPort(group: string): Promise<number> {
  const socket = createSocket({ type: 'udp4', reuseAddr: false });
  try {
    return await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: group, port: 0, exclusive: true }, () => resolve(socket.address().port));
    });
  } catch (error) {
    throw new HostError('LAB_PORTS', `no free UDP port for the multicast group ${group}`, {
      tryNext: 'see who listens: ss -lnup',
      cause: error,
    });
  } finally {
    await new Promise<void>((resolve) => {
      socket.close(() => resolve());
    });
  }
}

/** Listens on a port that the operating system chooses, and returns it. */
function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port: 0, exclusive: true }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
