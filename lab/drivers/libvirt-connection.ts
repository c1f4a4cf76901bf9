import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError, HostError } from '../model/errors.ts';
import type { Host, LibvirtConnection, RunCommand } from '../model/host.ts';

/** First answer of a daemon that has to look at every QEMU binary; later ones take milliseconds. */
const FIRST_ANSWER_MS = 60_000;

/**
 * Finds the libvirt of this user and makes sure that it answers: root has the system daemon (started when no init
 * does it), everybody else a session daemon, which ends by itself after two idle minutes: call this again before
 * each use of Terraform, which cannot start it.
 *
 * @throws HostError when libvirt is not installed or does not answer.
 */
export async function connectLibvirt(host: Host): Promise<LibvirtConnection> {
  return host.uid === 0 ? connectSystem(host) : connectSession(host);
}

/**
 * Starts `libvirtd` and `virtlogd` as daemons, those of them that do not run. For root on a host without systemd,
 * such as a container; elsewhere this is the job of the init system.
 */
async function startLibvirtDaemons(host: Host): Promise<void> {
  for (const program of ['virtlogd', 'libvirtd']) {
    if (!isRunning(program))
      await host.run(program, ['-d'], { signal: host.signal, timeoutMs: FIRST_ANSWER_MS });
  }
}

async function connectSystem(host: Host): Promise<LibvirtConnection> {
  const uri = 'qemu:///system';
  // Without virtlogd a domain with a console file does not start; without an init nobody starts it on demand.
  if (!existsSync('/run/systemd/system') && !(isRunning('virtlogd') && isRunning('libvirtd'))) {
    await startOrExplain(host);
    await host.waitFor(
      async () =>
        existsSync('/run/libvirt/libvirt-sock')
          ? { done: true, value: undefined }
          : { done: false, seen: 'no socket /run/libvirt/libvirt-sock' },
      { name: 'libvirtd to open its socket', timeoutMs: 30_000, intervalMs: 100, signal: host.signal },
    );
  }
  await answer(host, uri);
  return { uri, providerUri: uri, kind: 'system' };
}

async function connectSession(host: Host): Promise<LibvirtConnection> {
  const uri = 'qemu:///session';
  await answer(host, uri);
  const candidates = sessionSockets(host.uid, process.env);
  const socket = candidates.find((path) => existsSync(path));
  if (socket === undefined) {
    throw new HostError(
      'LAB_LIBVIRT',
      'the session daemon of libvirt answers, but its socket was not found',
      {
        lastSeen: `none of ${candidates.join(', ')}`,
        tryNext: `virsh -c ${uri} uri`,
      },
    );
  }
  return { uri, providerUri: `${uri}?socket=${encodeURI(socket)}`, kind: 'session' };
}

/** Returns where a session daemon of libvirt may have its socket, most likely first. */
export function sessionSockets(uid: number, env: Readonly<Record<string, string | undefined>>): string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const cache = env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache');
  const folders = runtime === undefined ? [cache, `/run/user/${uid}`] : [runtime, cache];
  return folders.map((folder) => join(folder, 'libvirt', 'libvirt-sock'));
}

async function startOrExplain(host: Host): Promise<void> {
  try {
    await startLibvirtDaemons(host);
  } catch (error) {
    throw new HostError('LAB_LIBVIRT', 'the libvirt daemons could not be started', {
      ...(error instanceof CommandError ? { lastSeen: error.message } : {}),
      tryNext: 'npm run lab doctor',
      cause: error,
    });
  }
}

async function answer(host: { run: RunCommand; signal: AbortSignal }, uri: string): Promise<void> {
  try {
    await host.run('virsh', ['-c', uri, 'version'], {
      env: { LC_ALL: 'C' },
      timeoutMs: FIRST_ANSWER_MS,
      signal: host.signal,
    });
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    throw new HostError('LAB_LIBVIRT', `libvirt does not answer at ${uri}`, {
      lastSeen: error.message,
      tryNext: 'npm run lab doctor',
      cause: error,
    });
  }
}

function isRunning(program: string): boolean {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .some((pid) => readProcess(pid, 'comm').trim() === program && !readProcess(pid, 'stat').includes(') Z '));
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // the process ended meanwhile
  }
}
