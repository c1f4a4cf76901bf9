import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError, HostError } from '../../model/errors/errors.ts';
import type { Environment } from '../../model/host/environment.ts';
import type { Host, LibvirtConnection, RunCommand } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { isProgramRunning } from '../processes/processes.ts';

/**
 * Finds the libvirt of this user and makes sure that it answers: root has the system daemon, which is started where no
 * init system does it. Other users have a session daemon, which ends by itself after two idle minutes. Terraform
 * cannot start it: call this before each use of Terraform.
 *
 * @throws HostError when libvirt is not installed or does not answer.
 */
export async function connectLibvirt(host: Host): Promise<LibvirtConnection> {
  return host.uid === 0 ? connectSystem(host) : connectSession(host);
}

/**
 * What a daemon gets that outlives this lab: the PATH that an init system gives (systemd.exec(5)), so that it finds QEMU
 * for the labs after this one too, whatever PATH this one was started with.
 */
const DAEMON_ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Starts `libvirtd` and `virtlogd` as daemons, unless they run. For root on a host without systemd, such as a
 * container. Elsewhere the init system starts them.
 */
async function startLibvirtDaemons(host: Host): Promise<void> {
  for (const program of ['virtlogd', 'libvirtd']) {
    if (!isProgramRunning(program))
      await host.run(program, ['-d'], {
        env: DAEMON_ENV,
        signal: host.signal,
        timeoutMs: TIME_LIMITS.machines.firstAnswer.ms,
      });
  }
}

/** The libvirt of a user, for virsh: root has the system daemon, everybody else a session daemon. */
export function libvirtUri({ uid }: Pick<Host, 'uid'>): string {
  return uid === 0 ? 'qemu:///system' : 'qemu:///session';
}

async function connectSystem(host: Host): Promise<LibvirtConnection> {
  const uri = libvirtUri(host);
  // A domain with a console file does not start without virtlogd, which only an init system starts on demand.
  if (!existsSync('/run/systemd/system') && !(isProgramRunning('virtlogd') && isProgramRunning('libvirtd'))) {
    await startOrExplain(host);
    await host.waitFor(
      {
        title: 'libvirtd to open its socket',
        look: async () =>
          existsSync('/run/libvirt/libvirt-sock')
            ? { done: true, value: true }
            : { done: false, seen: 'no socket /run/libvirt/libvirt-sock' },
      },
      { timeoutMs: TIME_LIMITS.machines.socket.ms, intervalMs: 100, signal: host.signal },
    );
  }
  await answer(host, uri);
  return { uri, providerUri: uri, kind: 'system' };
}

async function connectSession(host: Host): Promise<LibvirtConnection> {
  const uri = libvirtUri(host);
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
function sessionSockets(uid: number, env: Environment): string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const cache = env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache');
  const folders = runtime === undefined ? [cache, `/run/user/${uid}`] : [runtime, cache];
  return folders.map((folder) => join(folder, 'libvirt', 'libvirt-sock'));
}

async function startOrExplain(host: Host): Promise<void> {
  try {
    await startLibvirtDaemons(host);
  } catch (error) {
    throw new HostError('LAB_LIBVIRT', 'the libvirt daemons could not be started', {
      ...(error instanceof CommandError ? { lastSeen: error.message } : {}),
      tryNext: 'npx whodunit doctor',
      cause: error,
    });
  }
}

async function answer(host: { run: RunCommand; signal: AbortSignal }, uri: string): Promise<void> {
  try {
    await host.run('virsh', ['-c', uri, 'version'], {
      env: { LC_ALL: 'C' },
      timeoutMs: TIME_LIMITS.machines.firstAnswer.ms,
      signal: host.signal,
    });
  } catch (error) {
    if (!(error instanceof CommandError) || error.failure === 'aborted') throw error;
    throw new HostError('LAB_LIBVIRT', `libvirt does not answer at ${uri}`, {
      lastSeen: error.message,
      tryNext: 'npx whodunit doctor',
      cause: error,
    });
  }
}
