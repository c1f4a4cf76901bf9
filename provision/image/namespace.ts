import type { CommandOptions, CommandResult, Host } from '../../lab/model/host.ts';

/**
 * Runs a program as root of its own mount and process namespace; as a normal user also of a user namespace, in which
 * the user's own files belong to root and /etc/subuid gives the other owners. Everything mounted or started inside
 * ends with it, whatever happens.
 *
 * Needs `newuidmap` (package uidmap) and an /etc/subuid entry when not root. Throws CommandError.
 */
export function runInNamespace(
  host: Host,
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const user = host.uid === 0 ? [] : ['--user', '--map-root-user', '--map-auto'];
  const namespace = [...user, '--mount', '--pid', '--fork', '--kill-child'];
  return host.run('unshare', [...namespace, program, ...args], options);
}
