import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { EventEmitter, once } from 'node:events';

/** A way to a server on which everything stops after so many bytes. */
export interface StuckLink {
  /** Its address on 127.0.0.1, with its port. */
  readonly host: string;
  /** Resolves when the last byte went through that goes through. */
  readonly stuck: Promise<void>;
  close(): void;
}

/**
 * Starts a link to `target` (host and port) that carries `bytes` from its clients, over all connections, and then nothing
 * more: its clients wait until somebody ends them.
 */
export async function startStuckLink(target: string, bytes: number): Promise<StuckLink> {
  const [host, port] = target.split(':');
  const sockets = new Set<Socket>();
  const link = new EventEmitter();
  const stuck = once(link, 'stuck').then(() => undefined);
  let left = bytes;
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      upstream.write(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left > 0) return;
      client.pause();
      link.emit('stuck');
    });
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stuck,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
