import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface SavedWorld {
  readonly nodes: readonly { readonly name: string; readonly sshPort: number }[];
  readonly image: { readonly sshKey: string; readonly hostKey: string };
}

/**
 * Makes the real ssh find the nodes of a world by their names, as the configuration of a user does it: a program `ssh` in the
 * folder `tools` of the state folder.
 */
export function writeSshOfWorld(home: string, world: string): void {
  const { nodes, image } = JSON.parse(
    readFileSync(join(home, 'worlds', world, 'world.json'), 'utf8'),
  ) as SavedWorld;
  const tools = join(home, 'tools');
  const [config, known] = [join(tools, 'ssh_config'), join(tools, 'known_hosts')];
  mkdirSync(tools);
  writeFileSync(known, nodes.map(({ sshPort }) => `[127.0.0.1]:${sshPort} ${image.hostKey}\n`).join(''));
  const hosts = nodes.map(
    ({ name, sshPort }) => `Host ${name}\n  HostName 127.0.0.1\n  Port ${sshPort}\n  User root\n`,
  );
  const ofAll = `Host *\n  IdentityFile ${image.sshKey}\n  IdentitiesOnly yes\n  UserKnownHostsFile ${known}\n`;
  writeFileSync(config, `${hosts.join('')}${ofAll}`);
  writeFileSync(join(tools, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F ${config} "$@"\n`, { mode: 0o755 });
}
