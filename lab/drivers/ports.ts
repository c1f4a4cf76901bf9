import { createServer, type Server } from 'node:net';
import { HostError } from '../model/errors.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Returns ports on 127.0.0.1 that the operating system gave out. All are held open together, so that they differ,
 * and then released; whoever is to listen must do so soon.
 *
 * @throws HostError when the host has no port left.
 */
export async function reservePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  try {
    const ports: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const server = createServer();
      servers.push(server);
      ports.push(await listen(server, 0));
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

/** Returns whether nobody listens on a port of 127.0.0.1. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listen(server, port);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    await close(server);
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
