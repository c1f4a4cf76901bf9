import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { reservePorts } from '../lab/drivers/claims/ports.ts';
import { createWaitFor, systemClock } from '../lab/drivers/clock.ts';
import { findTool } from '../lab/drivers/host/host-facts.ts';
import { endProcess } from './child-processes.ts';

const missing = ['sshd', 'ssh', 'ssh-keygen'].filter(
  (name) => findTool(name, process.env.PATH ?? '') === undefined,
);

/** Why tests with sshd do not run here; undefined where they do. */
export const lacksSshd =
  missing.length === 0 ? undefined : `there is no ${missing.join(', ')}: apt-get install openssh-server`;

/** Of sshd as root: an empty folder that systemd would have made. */
const PRIVILEGE_SEPARATION = '/run/sshd';

/** Several servers of OpenSSH on this machine, which let this user in. */
export interface SshHosts {
  /** A configuration for `ssh -F` that knows the names of the hosts. */
  readonly config: string;
  /** Ends every server. */
  end(): Promise<void>;
}

/** Starts one sshd for each name, on 127.0.0.1, with all of their files in a folder. */
export async function startSshHosts(folder: string, names: readonly string[]): Promise<SshHosts> {
  const [key, hostKey] = ['key', 'host-key'].map((name) => makeKey(join(folder, name)));
  writeFileSync(join(folder, 'authorized'), readFileSync(`${key}.pub`));
  const isRoot = process.getuid?.() === 0;
  const ours = isRoot && !existsSync(PRIVILEGE_SEPARATION);
  if (ours) mkdirSync(PRIVILEGE_SEPARATION);
  const servers: ChildProcess[] = [];
  const blocks: string[] = [];
  for (const name of names) {
    const [port = 0] = await reservePorts(1);
    const file = join(folder, `${name}.conf`);
    writeFileSync(
      file,
      [
        'ListenAddress 127.0.0.1',
        `Port ${port}`,
        `HostKey ${hostKey}`,
        `AuthorizedKeysFile ${join(folder, 'authorized')}`,
        'PidFile none',
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'PermitRootLogin prohibit-password',
        // The first bash of a connection reads ~/.bashrc of whoever runs the tests; that of another level does not.
        `SetEnv SHLVL=2 PATH=${process.env.PATH ?? ''}`,
      ].join('\n'),
    );
    // sshd starts itself again for each connection, so that it wants its whole path.
    const sshd = findTool('sshd', process.env.PATH ?? '') ?? 'sshd';
    servers.push(spawn(sshd, ['-D', '-E', join(folder, `${name}.log`), '-f', file], { stdio: 'ignore' }));
    await waitUntilOpen(port);
    blocks.push(`Host ${name}\n  HostName 127.0.0.1\n  Port ${port}\n  HostKeyAlias ${name}\n`);
    writeFileSync(
      join(folder, 'known'),
      names.map((known) => `${known} ${readFileSync(`${hostKey}.pub`, 'utf8')}`).join(''),
    );
  }
  const config = join(folder, 'ssh-config');
  const both = `Host *\n  IdentityFile ${key}\n  IdentitiesOnly yes\n  BatchMode yes\n  UserKnownHostsFile ${join(folder, 'known')}\n`;
  writeFileSync(config, `${blocks.join('')}${both}`);
  return {
    config,
    end: async () => {
      for (const server of servers) await endProcess(server, 'SIGTERM');
      if (ours) rmdirSync(PRIVILEGE_SEPARATION);
    },
  };
}

function makeKey(file: string): string {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
  return file;
}

function waitUntilOpen(port: number): Promise<true> {
  const look = (): Promise<boolean> =>
    new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true));
      socket.once('error', () => done(false));
      socket.once('connect', () => socket.destroy());
    });
  return createWaitFor(systemClock)(
    {
      title: 'sshd to answer',
      look: async () => ((await look()) ? { done: true, value: true } : { done: false, seen: 'nothing' }),
    },
    { timeoutMs: 60_000, intervalMs: 50 },
  );
}
