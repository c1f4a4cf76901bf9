import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { linkHostTool, SURROUNDINGS } from '../cli/support/tool-folder.ts';
import type { Call } from './call.ts';
import { bakeDisk, bootProof, buildPrograms, makeRootFilesystem } from './builders.ts';
import { createStandInLibvirt, runVirsh, type StandInLibvirt } from './libvirt.ts';
import { runTerraform } from './terraform.ts';

/** Does the work of a tool; returns its exit status. */
type Tool = (call: Call, libvirt: StandInLibvirt) => Promise<number> | number;

/** Host tools whose work is done by the stand-in. All others are the real ones. */
const TOOLS: Readonly<Record<string, Tool>> = {
  virsh: runVirsh,
  terraform: runTerraform,
  go: buildPrograms,
  mmdebstrap: makeRootFilesystem,
  unshare: bakeDisk,
  'qemu-system-x86_64': bootProof,
};

/** Programs of the real host. */
const REAL = [
  ...SURROUNDINGS,
  'openssl',
  'setsid',
  'cp',
  'cat',
  'kill',
  'mount',
  'umount',
  'find',
  'tar',
  'awk',
  'grep',
  'sed',
  'rm',
  'dirname',
  'ls',
  'mv',
  'virtlogd',
  'libvirtd',
  'apt-config',
  'dpkg-query',
  'dpkg',
];

/** How long each step of a tool takes. */
const STEP_MS = 2;

/** Libvirt, Terraform, Go, mmdebstrap and bake of a rehearsal: real processes, files, ports; no machine. */
export interface StandInHost {
  /** For the environment of the lab. */
  readonly env: Readonly<Record<string, string>>;
  readonly libvirt: StandInLibvirt;
  /** Calls whose process lives. */
  readonly calls: ReadonlySet<Call>;
  /** Moments so far. */
  countMoments(): number;
  /** What is being done now takes its time from here on: so long for each step, in milliseconds. */
  linger(stepMs: number): void;
  /** Called at each moment from now on, with its number from 1 and what happens then. */
  onMoment(listener: ((number: number, what: string) => void) | undefined): void;
  close(): Promise<void>;
}

/** Starts the host; its tools lie in `<folder>/tools`. */
export async function startStandInHost(folder: string): Promise<StandInHost> {
  let count = 0;
  let listener: ((number: number, what: string) => void) | undefined;
  const tell = (what: string): void => {
    count += 1;
    listener?.(count, what);
  };
  const libvirt = createStandInLibvirt(tell);
  const calls = new Set<Call>();
  const slow = new WeakMap<Call, number>();
  const server = createServer((socket) => void serve(socket, { libvirt, calls, slow, tell }));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    env: { PATH: makeTools(join(folder, 'tools')), STAND_IN_PORT: String(port) },
    libvirt,
    calls,
    countMoments: () => count,
    linger: (stepMs) => calls.forEach((call) => slow.set(call, stepMs)),
    onMoment: (next) => {
      count = 0;
      listener = next;
    },
    close: async () => {
      await libvirt.close();
      await new Promise((done) => server.close(done));
    },
  };
}

function makeTools(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(TOOLS)) symlinkSync(join(import.meta.dirname, 'tool'), join(folder, name));
  for (const name of REAL) linkHostTool(folder, name);
  return folder;
}

interface Place {
  readonly libvirt: StandInLibvirt;
  readonly calls: Set<Call>;
  readonly slow: WeakMap<Call, number>;
  readonly tell: (what: string) => void;
}

/** Thrown in the work of a tool whose process has ended. */
class Gone extends Error {}

async function serve(socket: Socket, { libvirt, calls, slow, tell }: Place): Promise<void> {
  const [gone, stopped] = [new AbortController(), new AbortController()];
  socket.on('error', () => undefined);
  socket.on('close', () => gone.abort());
  const words = await readWords(socket, () => stopped.abort());
  if (words === undefined) return;
  const [pid = '', cwd = '', name = '', ...args] = words;
  const send = (line: string): void => {
    if (socket.writable) socket.write(`${line}\n`);
  };
  const daemonMoment = async (what: string): Promise<void> => {
    tell(`${name} ${what}`);
    await pause(slow.get(call) ?? STEP_MS);
  };
  const call: Call = {
    pid: Number(pid),
    cwd,
    name,
    args,
    gone: gone.signal,
    stopped: stopped.signal,
    daemonMoment,
    print: (text) => text.split('\n').forEach((line) => send(`o${line}`)),
    complain: (text) => text.split('\n').forEach((line) => send(`e${line}`)),
    moment: async (what) => {
      if (gone.signal.aborted) throw new Gone();
      await daemonMoment(what);
      if (gone.signal.aborted) throw new Gone();
    },
  };
  calls.add(call);
  try {
    const status = (await TOOLS[name]?.(call, libvirt)) ?? 127;
    send(`x${status}`);
  } catch (error) {
    if (!(error instanceof Gone)) call.complain(error instanceof Error ? (error.stack ?? '') : String(error));
    send('x1');
  } finally {
    socket.end();
    if (gone.signal.aborted) calls.delete(call);
    else gone.signal.addEventListener('abort', () => calls.delete(call));
  }
}

/** Reads the words of a call; whatever comes behind them is a request to stop. */
function readWords(socket: Socket, onStop: () => void): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    let text = '';
    let isRead = false;
    socket.on('data', (chunk: Buffer) => {
      if (isRead) return onStop();
      text += chunk.toString();
      const words = text.split('\0');
      const wanted = Number(words[0]) + 4;
      if (words.length <= wanted) return;
      isRead = true;
      resolve(words.slice(1, wanted));
    });
    socket.on('close', () => resolve(undefined));
  });
}
