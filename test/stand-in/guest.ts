import { createServer, type Server, type Socket } from 'node:net';
import ssh2, { type ServerChannel } from 'ssh2';
import type { MachineSpec } from '../../lab/model/host/machine.ts';
import { printFirstRuns } from '../fake-guest.ts';
import { openApi } from './api.ts';
import type { BaseImage, GuestBody, GuestMemory } from './guest-body.ts';
import { answerScript } from './scripts.ts';

/** The ports of a guest, and what answers there. */
export interface StandInGuest {
  memory(): GuestMemory;
  restore(memory: GuestMemory): void;
  /** Whether its CPUs stand still: nobody is answered then. */
  freeze(isFrozen: boolean): void;
  close(): void;
}

/** Starts to answer on the ports of a machine. */
export function openGuest(spec: MachineSpec, base: BaseImage, tell: (what: string) => void): StandInGuest {
  const body: GuestBody = {
    spec,
    base,
    kernelLogs: new Set(),
    memory: { files: {}, sysctl: {}, pods: {} },
    api: openApi(() => body, tell),
  };
  const ssh = new ssh2.Server({ hostKeys: [base.hostKey] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => context.accept());
    connection.on('session', (accept) =>
      accept().on('exec', (acceptExec, _reject, { command }) => {
        tell(`ssh: ${command.slice(0, 60)}`);
        answerCommand(body, acceptExec(), command, tell);
      }),
    );
  });
  const doors = [openDoor(spec.sshPort, (socket) => ssh.injectSocket(socket))];
  if (spec.apiPort !== undefined) doors.push(openDoor(spec.apiPort, (socket) => body.api.serve(socket)));
  const dropAll = (): void => doors.forEach((door) => door.drop());
  return {
    memory: () => body.memory,
    restore: (memory) => {
      body.memory = memory;
      body.api.forget();
      dropAll();
    },
    freeze: (isFrozen) => doors.forEach((door) => door.freeze(isFrozen)),
    close: () => {
      dropAll();
      doors.forEach((door) => door.close());
    },
  };
}

interface Door {
  drop(): void;
  freeze(isFrozen: boolean): void;
  close(): void;
}

/** A port whose connections stand still while the guest does. */
function openDoor(port: number, enter: (socket: Socket) => void): Door {
  const sockets = new Set<Socket>();
  let waiting: Socket[] = [];
  let frozen = false;
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
    sockets.add(socket);
    if (frozen) waiting.push(socket);
    else enter(socket);
  });
  server.listen(port, '127.0.0.1');
  return {
    drop: () => sockets.forEach((socket) => socket.destroy()),
    freeze: (isFrozen) => {
      frozen = isFrozen;
      for (const socket of sockets) {
        if (isFrozen) socket.pause();
        else socket.resume();
      }
      if (isFrozen) return;
      waiting.filter((socket) => !socket.destroyed).forEach(enter);
      waiting = [];
    },
    close: () => server.close(),
  };
}

/** Runs a command of the lab: a stream, which ends with its input, or a script on standard input. */
function answerCommand(
  body: GuestBody,
  channel: ServerChannel,
  command: string,
  tell: (what: string) => void,
): void {
  channel.on('error', () => undefined);
  let input = '';
  channel.on('data', (chunk: Buffer) => (input += chunk.toString('latin1')));
  const end = (status: number): void => {
    channel.exit(status);
    channel.end();
  };
  if (!command.includes('eval "$SCRIPT"')) startStream(body, channel, command);
  channel.on('end', () => {
    body.kernelLogs.delete(channel);
    const { stdout, status } = answerScript(body, input || command);
    tell(`ssh: ${(input || command).slice(0, 40)} is done`);
    if (command.includes('eval "$SCRIPT"')) channel.write(stdout);
    end(status);
  });
}

function startStream(body: GuestBody, channel: ServerChannel, command: string): void {
  if (command.includes('cat /dev/kmsg')) {
    body.kernelLogs.add(channel);
    channel.write('6,1,1,-;Linux version 6.1.0-42-cloud-amd64\n');
  } else if (command.includes('witness')) {
    channel.write('{"kind":"start"}\n');
  } else {
    channel.write(printFirstRuns(command));
  }
}
