import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ServerChannel } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWaitFor, systemClock } from '../../../../lab/drivers/clock.ts';
import { findText } from '../../../../lab/drivers/files/files.ts';
import { reservePorts } from '../../../../lab/drivers/claims/ports.ts';
import { connectGuest } from '../../../../lab/drivers/ssh/ssh.ts';
import { HostError, InterruptedError } from '../../../../lab/model/errors/errors.ts';
import type { Guest } from '../../../../lab/model/host/host.ts';
import { runInBash, startSshServer, type Answer, type SshServer } from '../../../ssh-server.ts';

let folder: string;
let server: SshServer | undefined;
let guests: Guest[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-ssh-'));
  guests = [];
});
afterEach(async () => {
  for (const guest of guests) guest.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

async function connect(
  options: { answer?: Answer; signal?: AbortSignal; hostKey?: string; toBreak?: number } = {},
): Promise<Guest> {
  server = await startSshServer(options.answer, options.toBreak);
  const { target } = server;
  const guest = await connectGuest(
    { ...target, hostKey: options.hostKey ?? target.hostKey },
    { waitFor: createWaitFor(systemClock), signal: options.signal ?? new AbortController().signal },
    { timeoutMs: 10_000 },
  );
  guests.push(guest);
  return guest;
}

describe('a script in a guest', () => {
  it('is read whole before it runs, and its status is data', async () => {
    const guest = await connect();
    const result = await guest.script('cat\necho out\necho err >&2\nfalse\necho never');
    expect(result).toEqual({ status: 1, stdout: 'out\n', stderr: 'err\n' });
    await expect(guest.must('exit 7')).rejects.toMatchObject({ failure: 'exit-code', status: 7 });
  });

  it('writes a file as it is, whatever its path and content hold', async () => {
    const guest = await connect();
    const path = join(folder, `it's new`, 'a "file"');
    const content = Buffer.from([0, 10, 13, 39, 255]);
    await guest.writeFile(path, content, 0o600);
    expect(readFileSync(path)).toEqual(content);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('tells whole lines, wherever the bytes are cut', async () => {
    const text = Buffer.from('größer\n€ 5\nlast');
    const guest = await connect({
      answer: (channel) => {
        const send = async (): Promise<void> => {
          for (const byte of text) {
            channel.write(Buffer.from([byte]));
            // The next one goes in a packet of its own.
            await new Promise((resolve) => setImmediate(resolve));
          }
          channel.exit(0);
          channel.end();
        };
        void send();
      },
    });
    const lines: string[] = [];
    const { stdout } = await guest.script('', { onLine: (line) => lines.push(line) });
    expect(lines).toEqual(['größer', '€ 5', 'last']);
    expect(stdout).toBe(text.toString());
  });

  it('ends as a lost connection when the guest goes away', async () => {
    const guest = await connect();
    const running = guest.script('echo started; sleep 98765', { onLine: () => server?.drop() });
    await expect(running).rejects.toMatchObject({ code: 'LAB_SSH_LOST' });
  });

  it('ends when its time is up, and says which one it was', async () => {
    const guest = await connect();
    const running = guest.script('sleep 98765', { timeoutMs: 20 });
    await expect(running).rejects.toMatchObject({ failure: 'timed-out', tail: 'sleep 98765' });
  });

  it('is called by its name in an error, where it has one', async () => {
    const guest = await connect();
    const failing = guest.must('echo no such pod >&2; exit 7', {
      name: 'the script "looks for it" on node-1',
    });
    await expect(failing).rejects.toThrow(
      'the script "looks for it" on node-1\n  exited with 7\n    no such pod',
    );
    const slow = guest.must('sleep 98765', { name: 'the script "waits" on node-1', timeoutMs: 20 });
    await expect(slow).rejects.toMatchObject({ failure: 'timed-out', tail: 'the script "waits" on node-1' });
  });
});

describe('bytes that are fed to a command', () => {
  /** More than the window of a channel: most of it waits until the other side has read. */
  const much = Buffer.alloc(8 * 1024 * 1024, 'whodunit');

  /** A command that reads a first part and waits; `readOn` counts what it gets until its input ends. */
  function readsLittle(onFirst: () => void): { answer: Answer; readOn: () => Promise<number> } {
    let bytes = 0;
    let isPatient = true;
    let open: (channel: ServerChannel) => void;
    const reader = new Promise<ServerChannel>((resolve) => (open = resolve));
    const answer: Answer = (channel, command) => {
      if (command !== 'reads-little') return runInBash(channel, command);
      open(channel);
      channel.on('data', (chunk: Buffer) => {
        if (bytes === 0 && isPatient) {
          channel.pause();
          onFirst();
        }
        bytes += chunk.length;
      });
    };
    const readOn = async (): Promise<number> => {
      isPatient = false;
      const channel = await reader;
      return new Promise((resolve) => channel.on('end', () => resolve(bytes)).resume());
    };
    return { answer, readOn };
  }

  it('arrive whole, and what the command prints is returned', async () => {
    const guest = await connect();
    expect(await guest.feed('wc -c', much)).toBe(`${much.length}\n`);
    expect(await guest.feed('sha256sum', much)).toBe(
      `${createHash('sha256').update(much).digest('hex')}  -\n`,
    );
  });

  it('are given up when the command fails before it has read them, and its own words are told', async () => {
    const guest = await connect();
    await expect(guest.feed('echo no space left >&2; exit 3', much)).rejects.toMatchObject({
      failure: 'exit-code',
      status: 3,
      tail: 'no space left',
      command: "ssh node-1 'echo no space left >&2; exit 3' < …",
    });
    expect(await guest.must('echo next')).toBe('next\n');
  });

  it('are a lost connection when it breaks under way', async () => {
    const { answer } = readsLittle(() => server?.drop());
    const guest = await connect({ answer });
    await expect(guest.feed('reads-little', much)).rejects.toMatchObject({ code: 'LAB_SSH_LOST' });
  });

  it.each([
    ['an interrupt', undefined],
    ['the end of its time', 50],
  ])('stop with %s, and the connection is free for what is still saved', async (_, timeoutMs) => {
    const abort = new AbortController();
    const { answer, readOn } = readsLittle(() => timeoutMs === undefined && abort.abort());
    const guest = await connect({ answer, signal: abort.signal });
    const feeding = guest.feed('reads-little', much, timeoutMs === undefined ? {} : { timeoutMs });
    await expect(feeding).rejects.toMatchObject(
      timeoutMs === undefined ? { code: 'LAB_INTERRUPTED' } : { failure: 'timed-out' },
    );
    expect(await readOn()).toBeLessThan(much.length);
    expect(await guest.under(new AbortController().signal).must('echo saved')).toBe('saved\n');
  });
});

describe('an interrupt', () => {
  it('ends every call of a guest at once: those that run, and those to come', async () => {
    const abort = new AbortController();
    const guest = await connect({ signal: abort.signal });
    const running = guest.script('echo started; sleep 98765', { onLine: () => abort.abort() });
    await expect(running).rejects.toBeInstanceOf(InterruptedError);
    await expect(guest.must('true')).rejects.toBeInstanceOf(InterruptedError);
    await expect(guest.writeFile('/nowhere', '')).rejects.toBeInstanceOf(InterruptedError);
    await expect(guest.stream('true', join(folder, 'log'))).rejects.toBeInstanceOf(InterruptedError);
  });

  it('leaves the connection to work that another signal ends', async () => {
    const abort = new AbortController();
    const guest = await connect({ signal: abort.signal });
    abort.abort();
    expect(await guest.under(new AbortController().signal).must('echo saved')).toBe('saved\n');
  });

  it('does not end a stream: all that it printed is in the file when it is stopped', async () => {
    const abort = new AbortController();
    const guest = await connect({ signal: abort.signal });
    const file = join(folder, 'node-1', 'log');
    const stream = await guest.stream('echo first; cat > /dev/null; echo last', file);
    abort.abort();
    await stream.stop(new AbortController().signal);
    expect(readFileSync(file, 'utf8')).toBe('first\nlast\n');
  });
});

describe('a stream', () => {
  it('that does not end is given up at the limit, with what it printed until then', async () => {
    const guest = await connect();
    const file = join(folder, 'log');
    const stream = await guest.stream('echo first; exec sleep 98765', file);
    await createWaitFor(systemClock)(
      {
        title: 'the first line',
        look: async () =>
          findText(file) === 'first\n' ? { done: true, value: true } : { done: false, seen: 'nothing' },
      },
      { timeoutMs: 10_000, intervalMs: 5 },
    );
    const limit = new AbortController();
    const stopped = stream.stop(limit.signal);
    limit.abort();
    expect(await stopped).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('first\n');
  });

  it('that no disk takes ends as it should, says why its file lacks something, and stops nobody else', async () => {
    const guest = await connect();
    const more = 'head -c 3000000 /dev/zero';
    const stream = await guest.stream(`${more}; cat > /dev/null; ${more}`, '/dev/full');
    expect(await guest.must('echo on')).toBe('on\n');
    expect(await stream.stop(new AbortController().signal)).toEqual([
      { why: 'ENOSPC: no space left on device, write' },
    ]);
    expect(await guest.must('echo still')).toBe('still\n');
  });
});

describe('a connection that breaks while we log in', () => {
  it('is opened again', async () => {
    const guest = await connect({ toBreak: 2 });
    expect(await guest.must('echo in')).toBe('in\n');
  });
});

describe('another machine on the port', () => {
  it('is told at once by its host key', async () => {
    const other = await startSshServer();
    const { hostKey } = other.target;
    await other.close();
    const failure = await connect({ hostKey }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostError);
    expect(failure).toMatchObject({ code: 'LAB_SSH_HOST_KEY' });
  });
});

describe('a port of a guest', () => {
  it('leads here, each connection by itself, until the SSH connection is closed', async () => {
    const guest = await connect();
    const [port = 0] = await reservePorts(1);
    await guest.listen(port, (connection) => connection.end('hello'));
    const ask = async (): Promise<string> => text(createConnection({ host: '127.0.0.1', port }));
    expect(await Promise.all([ask(), ask()])).toEqual(['hello', 'hello']);
    guest.close();
    await expect.poll(() => ask().catch((error: NodeJS.ErrnoException) => error.code)).toBe('ECONNREFUSED');
  });

  it('that somebody has there already is told', async () => {
    const guest = await connect();
    const somebody = createServer().listen(0, '127.0.0.1');
    try {
      await once(somebody, 'listening');
      const { port } = somebody.address() as AddressInfo;
      await expect(guest.listen(port, () => undefined)).rejects.toMatchObject({
        code: 'LAB_SSH_LISTEN',
        message: `node-1 does not let us listen on its port ${port}`,
      });
    } finally {
      somebody.close();
    }
  });
});
