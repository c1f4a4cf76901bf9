import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { HostError } from '../../model/errors/errors.ts';

const LOOPBACK = '127.0.0.1';

/** Programs with ports of their own choice are below; node ports of a cluster on the host are at the end and above. */
const [FIRST_PORT, END_OF_PORTS] = [10_240, 30_000];

/** How many ports are tried before the operating system is asked for one. */
const TRIES = 100;

/**
 * Returns free ports on 127.0.0.1. All are held open together, so that they differ, and then closed. Whoever is to
 * listen must do so soon.
 *
 * @param taken ports that must not be given out although nothing may listen on them (`leasePorts`).
 * @throws HostError when the host has no port left.
 */
export async function reservePorts(count: number, taken: ReadonlySet<number> = new Set()): Promise<number[]> {
  const servers: Server[] = [];
  try {
    const ports: number[] = [];
    while (ports.length < count) {
      const server = await firstFree(listen);
      servers.push(server);
      const { port } = server.address() as AddressInfo;
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
  try {
    const socket = await firstFree((port) => joinGroup(group, port));
    const { port } = socket.address();
    await new Promise<void>((resolve) => {
      socket.close(() => resolve());
    });
    return port;
  } catch (error) {
    throw new HostError('LAB_PORTS', `no free UDP port for the multicast group ${group}`, {
      tryNext: 'see who listens: ss -lnup',
      cause: error,
    });
  }
}

/**
 * Returns what the first free port gives. A port is chosen from those that Linux gives to nobody for an outgoing
 * connection: between the choice and the listening, or while a world is parked, any program would get it. On some hosts
 * the range for outgoing connections begins at once: there are no other ports, and Linux chooses.
 */
async function firstFree<T>(take: (port: number) => Promise<T>): Promise<T> {
  const end = Math.min(END_OF_PORTS, firstOutgoingPort());
  for (let tries = 0; tries < TRIES && end > FIRST_PORT; tries++) {
    const taken = await take(randomInt(FIRST_PORT, end)).catch(() => undefined);
    if (taken !== undefined) return taken;
  }
  return take(0);
}

/** Source: Documentation/networking/ip-sysctl.rst of Linux, ip_local_port_range. */
function firstOutgoingPort(): number {
  return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
}

/** Listens on a port of 127.0.0.1; at 0, the operating system chooses. */
function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => resolve(server));
  });
}

/** Binds a UDP port of a multicast group. */
function joinGroup(group: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: false });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ address: group, port, exclusive: true }, () => resolve(socket));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
