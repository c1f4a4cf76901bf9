import { spawn } from 'node:child_process';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import type { SshTarget } from '../lab/drivers/ssh/ssh.ts';

/** Answers one command. */
export type Answer = (channel: ServerChannel, command: string) => void;

/** An SSH server on 127.0.0.1. */
export interface SshServer {
  readonly target: SshTarget;
  /** Breaks every connection. */
  drop(): void;
  close(): Promise<void>;
}

/** Runs the command in bash, as sshd does for root, but without the start file of whoever runs the tests. */
export const runInBash: Answer = (channel, command) => {
  // Through `cat`, as /dev/stdin of a program that Node starts is a socket, which cannot be opened. A bash whose standard
  // input is a socket takes itself for one of sshd's, and reads ~/.bashrc.
  const child = spawn('bash', ['--norc', '-c', 'cat | bash --norc -c "$0"', command], { detached: true });
  child.stdin.on('error', () => undefined); // it ended without reading everything
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  channel.on('close', () => killGroup(child.pid));
  child.on('close', (status) => {
    channel.exit(status ?? 255);
    channel.end();
  });
};

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // all of it has ended
  }
}

/** Listens where the client asks for it, as `ssh -R` does, until the connection ends. */
function forwardPorts(connection: Connection): void {
  connection.on('request', (accept, reject, name, { bindAddr, bindPort }) => {
    if (name !== 'tcpip-forward') return void reject?.();
    const listener = createServer((socket) => {
      socket.on('error', () => undefined);
      const { remoteAddress = '', remotePort = 0 } = socket;
      connection.forwardOut(bindAddr, bindPort, remoteAddress, remotePort, (error, channel) => {
        if (error !== undefined) return void socket.destroy();
        socket.pipe(channel).pipe(socket);
        channel.on('close', () => socket.destroy());
      });
    });
    listener.once('error', () => reject?.());
    listener.listen(bindPort, bindAddr, () => accept?.());
    connection.on('close', () => listener.close());
  });
}

/** ssh2 cannot read about one in 250 of the keys that it makes (9 of 2000). */
function makeKey(): { readonly private: string; readonly public: string } {
  const key = ssh2.utils.generateKeyPairSync('ed25519');
  return ssh2.utils.parseKey(key.private) instanceof Error ? makeKey() : key;
}

/**
 * Starts a server with a host key and a client key of its own.
 *
 * @param toBreak so many connections break while their client logs in, after the exchange of keys.
 */
export async function startSshServer(answer: Answer = runInBash, toBreak = 0): Promise<SshServer> {
  let broken = 0;
  const [hostKey, clientKey] = [makeKey(), makeKey()];
  const ssh = new ssh2.Server({ hostKeys: [hostKey.private] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => {
      if (broken === toBreak) return context.accept();
      broken += 1;
      drop();
    });
    connection.on('session', (accept) =>
      accept().on('exec', (acceptExec, _reject, { command }) => answer(acceptExec(), command)),
    );
    forwardPorts(connection);
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    ssh.injectSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    target: { name: 'node-1', port, privateKey: clientKey.private, hostKey: hostKey.public },
    drop,
    close: () => {
      drop();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Prints what a script gives, instead of running it. */
export function answerScripts(print: (script: string) => string): Answer {
  return (channel) => {
    let script = '';
    channel.on('data', (chunk: Buffer) => (script += chunk.toString()));
    channel.on('end', () => {
      channel.write(print(script));
      channel.exit(0);
      channel.end();
    });
  };
}
