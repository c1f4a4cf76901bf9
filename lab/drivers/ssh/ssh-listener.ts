import type { AcceptConnection, Client, ClientChannel, TcpConnectionDetails } from 'ssh2';
import { HostError } from '../../model/errors/errors.ts';
import type { GuestConnection } from '../../model/host/host.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Listens on a port of a guest's 127.0.0.1 through its SSH connection (`ssh -R`, RFC 4254 section 7), until that is closed:
 * each connection that is made to it there arrives here.
 *
 * @throws HostError LAB_SSH_LISTEN when the guest does not let us.
 */
export async function listenInGuest(
  { name, client }: { readonly name: string; readonly client: Client },
  port: number,
  onConnection: (connection: GuestConnection) => void,
): Promise<void> {
  const take = (
    { destPort }: TcpConnectionDetails,
    accept: AcceptConnection<ClientChannel>,
    _reject: unknown,
  ): void => {
    if (destPort === port) onConnection(accept());
  };
  client.on('tcp connection', take);
  await new Promise<void>((resolve, reject) => {
    client.forwardIn(LOOPBACK, port, (error) => {
      if (error === undefined) return resolve();
      client.off('tcp connection', take);
      reject(
        new HostError('LAB_SSH_LISTEN', `${name} does not let us listen on its port ${port}`, {
          lastSeen: error.message,
          tryNext: `see who listens there: npx whodunit shell ${name} ss -ltnp`,
          cause: error,
        }),
      );
    });
  });
}
