import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import { CommandError, HostError, InterruptedError } from '../model/errors.ts';
import type { Guest, GuestResult, Look, WaitFor } from '../model/host.ts';

/** Where and as whom a node answers SSH. */
export interface SshTarget {
  /** Name of the node, for messages. */
  readonly name: string;
  /** Forwarded port on 127.0.0.1. */
  readonly port: number;
  /** PEM text of the client key. */
  readonly privateKey: string;
  /** The pinned host key as one `ssh-ed25519 AAAA…` line. */
  readonly hostKey: string;
}

interface ScriptOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
  onLine?: (line: string) => void;
}

const HANDSHAKE_MS = 20_000;
/**
 * QEMU accepts a forwarded connection before the guest listens, and then repeats its own SYN only after seconds:
 * a connection without a banner is given up soon, and a new one gets through at once when the guest is there.
 */
const BANNER_MS = 1_000;
/**
 * Scripts arrive on standard input and are read whole before they run, so that commands in them cannot eat the rest. All
 * of it in the one bash that sshd starts as root's shell: each program more costs an emulated node a tenth of a second.
 */
const SHELL = 'set -euo pipefail; SCRIPT=$(</dev/stdin); eval "$SCRIPT"';

/**
 * Opens one SSH connection with a pinned host key, retrying until the guest answers.
 *
 * @throws ProbeTimeoutError when the guest does not answer in time; HostError LAB_SSH_HOST_KEY at once when
 *   somebody else answers on that port.
 */
export async function connectGuest(
  target: SshTarget,
  waitFor: WaitFor,
  options: { timeoutMs: number; signal?: AbortSignal; log?: string; tryNext?: string },
): Promise<Guest> {
  const client = await waitFor<Client>(
    async (): Promise<Look<Client>> => {
      try {
        return { done: true, value: await handshake(target, await awaitBanner(target.port)) };
      } catch (error) {
        if (error instanceof HostError) throw error;
        return { done: false, seen: error instanceof Error ? error.message : String(error) };
      }
    },
    {
      name: `${target.name} to answer SSH on 127.0.0.1:${target.port}`,
      intervalMs: 250,
      ...options,
    },
  );
  return createGuest(target.name, client);
}

/**
 * Resolves to a connection on which an SSH server has greeted, its greeting still to be read; rejects when none does
 * within BANNER_MS. Each connection costs the guest a process, so the handshake goes on with this one.
 */
function awaitBanner(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const onClose = (): void => fail(new Error('the connection was closed without an SSH greeting'));
    socket.setTimeout(BANNER_MS, () => fail(new Error('no SSH greeting yet')));
    socket.once('error', fail);
    socket.once('close', onClose);
    socket.once('data', (data) => {
      if (!data.toString().startsWith('SSH-')) return fail(new Error('something other than SSH answers'));
      socket.pause();
      socket.unshift(data);
      socket.setTimeout(0);
      socket.off('error', fail);
      socket.off('close', onClose);
      resolve(socket);
    });
  });
}

function handshake(target: SshTarget, sock: Socket): Promise<Client> {
  const expected = Buffer.from(target.hostKey.trim().split(/\s+/)[1] ?? '', 'base64');
  return new Promise((resolve, reject) => {
    const client = new Client();
    let wrongKey = false;
    const config: ConnectConfig = {
      sock,
      username: 'root',
      privateKey: target.privateKey,
      readyTimeout: HANDSHAKE_MS,
      keepaliveInterval: 10_000,
      keepaliveCountMax: 6,
      algorithms: { serverHostKey: ['ssh-ed25519'] },
      hostVerifier: (key: Buffer) => {
        wrongKey = !key.equals(expected);
        return !wrongKey;
      },
    };
    client
      .once('ready', () => resolve(client))
      .on('error', (error) => {
        // ssh2 may report one failure twice; a promise settles once.
        client.destroy();
        reject(
          wrongKey
            ? new HostError(
                'LAB_SSH_HOST_KEY',
                `another machine answers as ${target.name} on port ${target.port}`,
                {
                  tryNext: 'run `npm run lab gc`, then `npm run lab up` again',
                },
              )
            : error,
        );
      })
      .connect(config);
  });
}

function createGuest(name: string, client: Client): Guest {
  client.on('error', () => undefined); // a lost connection shows in the command that was running
  const script = (text: string, options: ScriptOptions = {}): Promise<GuestResult> =>
    runScript(client, name, { command: SHELL, input: text, shown: text.trim() }, options);
  const must = async (text: string, options: ScriptOptions = {}): Promise<string> =>
    outputOf(await script(text, options), `ssh ${name} bash <<'EOF'\n${text.trim()}\nEOF`);
  return {
    name,
    script,
    must,
    feed: async (command, input, options = {}) =>
      outputOf(
        await runScript(client, name, { command, input, shown: command }, options),
        `ssh ${name} ${shellQuote(command)} < …`,
      ),
    writeFile: async (path, content, mode = 0o644) => {
      const body = Buffer.isBuffer(content) ? content : Buffer.from(content);
      await must(
        `install -d ${shellQuote(dirname(path))}\n` +
          `base64 -d > ${shellQuote(path)} <<'WHODUNIT_EOF'\n${body.toString('base64')}\nWHODUNIT_EOF\n` +
          `chmod ${mode.toString(8)} ${shellQuote(path)}`,
      );
    },
    stream: (text, localFile) => startStream(client, text, localFile),
    close: () => {
      // Not end(): it half-closes, and a guest that was restored meanwhile never answers; that would keep us alive.
      client.destroy();
    },
  };
}

/** @throws CommandError on a status other than 0; `command` is what a person would type. */
function outputOf(result: GuestResult, command: string): string {
  if (result.status === 0) return result.stdout;
  throw new CommandError({
    command,
    failure: 'exit-code',
    status: result.status,
    tail: `${result.stdout.trim()}\n${result.stderr.trim()}`.trim().split('\n').slice(-20).join('\n'),
  });
}

/** What runs in a guest: a command of its shell, its standard input, and what a message shows of them. */
interface GuestWork {
  readonly command: string;
  readonly input: string | Buffer;
  readonly shown: string;
}

function runScript(
  client: Client,
  name: string,
  { command, input, shown }: GuestWork,
  options: ScriptOptions,
): Promise<GuestResult> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      finish();
      reject(error);
    };
    const onClose = (): void => fail(new HostError('LAB_SSH_LOST', `the SSH connection to ${name} was lost`));
    const onAbort = (): void => fail(new InterruptedError(`interrupted while ${name} ran a script`));
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(
            () =>
              fail(
                new CommandError({
                  command: `ssh ${name} …`,
                  failure: 'timed-out',
                  tail: shown.slice(0, 500),
                }),
              ),
            options.timeoutMs,
          );
    const finish = (): void => {
      clearTimeout(timer);
      client.off('close', onClose);
      options.signal?.removeEventListener('abort', onAbort);
    };
    client.once('close', onClose);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    client.exec(command, (error, channel) => {
      if (error !== undefined) return fail(error);
      collect(channel, options, (result) => {
        finish();
        resolve(result);
      });
      channel.end(input);
    });
  });
}

function collect(channel: ClientChannel, options: ScriptOptions, done: (result: GuestResult) => void): void {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let status = -1;
  channel.on('data', (chunk: Buffer) => {
    out.push(chunk);
    if (options.onLine !== undefined)
      for (const line of chunk.toString().split('\n')) if (line !== '') options.onLine(line);
  });
  channel.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  channel.on('exit', (code: number | null) => {
    status = code ?? 255;
  });
  channel.on('close', () =>
    done({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
  );
}

async function startStream(
  client: Client,
  text: string,
  localFile: string,
): Promise<{ stop(): Promise<void> }> {
  await mkdir(dirname(localFile), { recursive: true });
  const file = createWriteStream(localFile);
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    client.exec(text, (error, opened) => (error === undefined ? resolve(opened) : reject(error)));
  });
  const closed = new Promise<void>((resolve) => {
    const settle = (): void => {
      client.off('close', settle); // one connection may carry many streams, one after the other
      file.end(() => resolve());
    };
    channel.once('close', settle);
    client.once('close', settle);
  });
  channel.pipe(file, { end: false });
  return {
    stop: async () => {
      channel.end(); // end of file on standard input is the agreed way to stop
      await closed;
    },
  };
}

/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
