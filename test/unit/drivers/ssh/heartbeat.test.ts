import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { recordHeartbeat } from '../../../../lab/drivers/ssh/heartbeat.ts';

const EVERY_MS = 20;

let folder: string;
let server: Server;
/** What the server does with each connection. */
let greet: (socket: Socket) => void;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-heartbeat-'));
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

interface Line {
  readonly kind: string;
  readonly at: number;
  readonly node: string;
  readonly asked?: number;
  readonly error?: string;
}

/** Records until a line is as wanted, and returns all lines. */
async function recordUntil(isWanted: (line: Line) => boolean): Promise<Line[]> {
  const file = join(folder, 'deep', 'heartbeat.jsonl');
  const read = (): Line[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  const { port } = server.address() as AddressInfo;
  const recording = await recordHeartbeat(systemClock, [{ name: 'node-1', sshPort: port }], EVERY_MS, file);
  await expect.poll(() => read().some(isWanted), { interval: EVERY_MS }).toBe(true);
  await recording.stop();
  return read();
}

describe('the heartbeat of a node', () => {
  it('is an answer for each greeting, between a start and a stop', async () => {
    let asked = 0;
    greet = (socket) => void (socket.write('SSH-2.0-OpenSSH_9.2\r\n'), (asked += 1));
    const lines = await recordUntil(() => asked >= 3);
    expect(lines[0]).toMatchObject({ kind: 'start', node: 'node-1' });
    expect(lines.at(-1)?.kind).toBe('stop');
    const answers = lines.filter(({ kind }) => kind === 'answer');
    expect(answers.length).toBeGreaterThanOrEqual(2);
    for (const { at, asked: from = Infinity } of answers) expect(at).toBeGreaterThanOrEqual(from);
  });

  it('is a silence for each look at a server that takes the connection and says nothing, and no further connection', async () => {
    const taken: Socket[] = [];
    greet = (socket) => void taken.push(socket);
    const lines = await recordUntil(
      ({ kind, at, asked = at }) => kind === 'silence' && at - asked > 5 * EVERY_MS,
    );
    expect(lines.filter(({ kind }) => kind === 'answer')).toEqual([]);
    expect(taken).toHaveLength(1);
  });

  it('goes on with new connections when one is closed, or something else answers', async () => {
    const greetings = ['', 'HTTP/1.0 400 Bad Request\r\n', 'SSH-2.0-OpenSSH_9.2\r\n'];
    greet = (socket) => void socket.end(greetings.shift() ?? '');
    const lines = await recordUntil(({ kind }) => kind === 'answer');
    const errors = lines.flatMap(({ error }) => error ?? []);
    expect(errors.slice(0, 2)).toEqual([
      'the connection was closed without an SSH greeting',
      'something other than SSH answers',
    ]);
  });
});
