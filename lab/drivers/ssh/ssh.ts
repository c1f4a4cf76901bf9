import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import { CommandError, HostError, InterruptedError } from '../../model/errors/errors.ts';
import type { Missed } from '../../model/evidence/cell-record.ts';
import type {
  Guest,
  GuestResult,
  GuestStream,
  Host,
  Look,
  Probe,
  ScriptOptions,
} from '../../model/host/host.ts';
import { shellQuote } from '../../model/text/shell.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { openEvidenceFile } from '../files/evidence-file.ts';
import { readStreamLines } from '../files/read-lines.ts';
import { awaitBanner } from './ssh-banner.ts';
import { listenInGuest } from './ssh-listener.ts';

/** Where and as whom a node answers SSH. */
export interface SshTarget {
  /** Name of the node, for messages. */
  readonly name: string;
  /** The port on 127.0.0.1 that is forwarded to the guest. */
  readonly port: number;
  /** PEM text of the client key. */
  readonly privateKey: string;
  /** The pinned host key as one `ssh-ed25519 AAAA…` line. */
  readonly hostKey: string;
}

/**
 * Scripts arrive on standard input and are read whole before they run, so that a command in them cannot read the rest.
 * One bash does both, the one that sshd starts as root's shell: each further program costs an emulated node a tenth of
 * a second.
 */
const SHELL = 'set -euo pipefail; SCRIPT=$(</dev/stdin); eval "$SCRIPT"';

/**
 * Opens one SSH connection with a pinned host key, retrying until the guest answers. Its calls end when the signal of
 * the host fires, wherever they are made.
 *
 * @throws ProbeTimeoutError when the guest does not answer in time; HostError LAB_SSH_HOST_KEY at once when
 *   somebody else answers on that port.
 */
export async function connectGuest(
  target: SshTarget,
  host: Pick<Host, 'waitFor' | 'signal'>,
  options: { timeoutMs: number; log?: string; tryNext?: string },
): Promise<Guest> {
  const { tryNext, ...limits } = options;
  const answer: Probe<Client> = {
    title: `${target.name} to answer SSH on 127.0.0.1:${target.port}`,
    look: () => lookForServer(target),
    ...(tryNext === undefined ? {} : { tryNext }),
  };
  const client = await host.waitFor(answer, { intervalMs: 250, signal: host.signal, ...limits });
  client.on('error', () => undefined); // the command that was running reports a lost connection
  return createGuest({ name: target.name, client, signal: host.signal });
}

/** Connects once. Throws when another machine answers on that port: waiting would not help. */
async function lookForServer(target: SshTarget): Promise<Look<Client>> {
  try {
    return { done: true, value: await handshake(target, await awaitBanner(target.port)) };
  } catch (error) {
    if (error instanceof HostError) throw error;
    return { done: false, seen: error instanceof Error ? error.message : String(error) };
  }
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
      readyTimeout: TIME_LIMITS.machines.sshHandshake.ms,
      // A machine that ends closes its connections. This is for one that hangs, which some cells make it do for minutes:
      // whoever gives up earlier loses the evidence that it has when it is back.
      keepaliveInterval: TIME_LIMITS.machines.sshKeepalive.ms,
      keepaliveCountMax: TIME_LIMITS.machines.sshSilent.ms / TIME_LIMITS.machines.sshKeepalive.ms,
      algorithms: { serverHostKey: ['ssh-ed25519'] },
      hostVerifier: (key: Buffer) => {
        wrongKey = !key.equals(expected);
        return !wrongKey;
      },
    };
    client
      .once('ready', () => resolve(client))
      // ssh2 reports no error, and stops its own timer, when the server goes away between the two greetings and `ready`.
      .once('close', () => reject(new Error('the connection was closed during the SSH handshake')))
      .on('error', (error) => {
        // ssh2 may report one failure twice; a promise settles once.
        client.destroy();
        reject(
          wrongKey
            ? new HostError(
                'LAB_SSH_HOST_KEY',
                `another machine answers as ${target.name} on port ${target.port}`,
                {
                  tryNext: 'run `npx whodunit gc`, then `npx whodunit up` again',
                },
              )
            : error,
        );
      })
      .connect(config);
  });
}

/** A connection, and the signal that ends its work early. */
interface Connection {
  readonly name: string;
  readonly client: Client;
  readonly signal: AbortSignal;
}

function createGuest(connection: Connection): Guest {
  const { name, client } = connection;
  const script = (text: string, options: ScriptOptions = {}): Promise<GuestResult> =>
    runWork(connection, { command: SHELL, input: text, shown: options.name ?? text }, options);
  const must = async (text: string, options: ScriptOptions = {}): Promise<string> =>
    outputOf(await script(text, options), options.name ?? `ssh ${name} bash <<'EOF'\n${text.trim()}\nEOF`);
  return {
    name,
    script,
    must,
    feed: async (command, input, options = {}) =>
      outputOf(
        await runWork(connection, { command, input, shown: command }, options),
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
    stream: (text, localFile) => startStream(connection, text, localFile),
    listen: (port, onConnection) =>
      orBroken(connection, `listen on port ${port}`, TIME_LIMITS.machines.sshHandshake.ms, () =>
        listenInGuest(connection, port, onConnection),
      ),
    under: (signal) => createGuest({ ...connection, signal }),
    close: () => {
      // Not end(), which half-closes and waits. A guest that was restored meanwhile never answers, and we would not
      // end.
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

function runWork(connection: Connection, work: GuestWork, options: ScriptOptions): Promise<GuestResult> {
  const run = async (broken: AbortSignal): Promise<GuestResult> => {
    const channel = await openChannel(connection.client, work.command);
    // The rest of the input is not needed any more. It would slow down the evidence that this connection still saves.
    const sendNoMore = (): void => {
      if (!channel.writableFinished) channel.close();
    };
    broken.addEventListener('abort', sendNoMore, { once: true });
    channel.end(work.input);
    if (broken.aborted) sendNoMore();
    return collect(channel, options.onLine);
  };
  return orBroken(connection, work.shown, options.timeoutMs, run);
}

function openChannel(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error === undefined ? resolve(channel) : reject(error)));
  });
}

/**
 * Resolves as the work does, but rejects at once when the connection's signal fires, the connection is lost or the time
 * is up. What was sent goes on in the guest, unheard; `broken` tells the work to send no more.
 */
function orBroken<T>(
  { name, client, signal }: Connection,
  text: string,
  timeoutMs: number | undefined,
  work: (broken: AbortSignal) => Promise<T>,
): Promise<T> {
  const breaking = new AbortController();
  return new Promise<T>((resolve, rejectAs) => {
    const reject = (reason: Error): void => {
      rejectAs(reason);
      breaking.abort();
    };
    const onClose = (): void =>
      reject(new HostError('LAB_SSH_LOST', `the SSH connection to ${name} was lost`));
    const onAbort = (): void => reject(new InterruptedError(`interrupted while ${name} ran a script`));
    if (signal.aborted) return onAbort();
    const onTime = (): void =>
      reject(
        new CommandError({
          command: `ssh ${name} …`,
          failure: 'timed-out',
          tail: text.trim().slice(0, 500),
        }),
      );
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTime, timeoutMs);
    client.once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    work(breaking.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        client.off('close', onClose);
        signal.removeEventListener('abort', onAbort);
      });
  });
}

function collect(channel: ClientChannel, onLine: ScriptOptions['onLine']): Promise<GuestResult> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let status = -1;
  channel.on('data', (chunk: Buffer) => out.push(chunk));
  channel.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  if (onLine !== undefined) readStreamLines(channel, onLine);
  channel.on('exit', (code: number | null) => {
    status = code ?? 255;
  });
  return new Promise((resolve) => {
    channel.on('close', () =>
      resolve({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

async function startStream(connection: Connection, text: string, localFile: string): Promise<GuestStream> {
  const { client } = connection;
  const channel = await orBroken(connection, text, undefined, () => openChannel(client, text));
  const { sink, end } = openEvidenceFile(localFile);
  let settle = (): void => undefined;
  const closed = new Promise<Missed[]>((resolve) => {
    settle = () => {
      client.off('close', settle); // a connection carries many streams in its life
      channel.unpipe(sink); // data that still comes must not be written to the closed file
      resolve(end());
    };
  });
  channel.once('close', settle);
  client.once('close', settle);
  channel.pipe(sink, { end: false });
  // Its end comes behind what nobody reads any more.
  sink.once('error', () => channel.resume());
  return {
    stop: async (limit) => {
      channel.end(); // end of file on standard input is the agreed way to stop
      if (limit.aborted) settle();
      limit.addEventListener('abort', settle, { once: true });
      const missed = await closed;
      limit.removeEventListener('abort', settle);
      return missed;
    },
  };
}
