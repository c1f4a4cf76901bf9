import type { CommandOptions, CommandResult, Host } from '../../lab/model/host/host.ts';

/**
 * unshare ignores SIGTERM while it waits, and the first process of a namespace ignores it too. So a shell in front
 * takes our SIGTERM and kills that first process: the kernel then ends all others of the namespace before `wait`
 * returns, and nothing writes any more when we clean up.
 */
const KILLABLE = `
end() {
  kill -KILL $(cat /proc/$namespace/task/$namespace/children)
  wait $namespace
  exit 143
}
trap end TERM INT
unshare "$@" &
namespace=$!
wait $namespace
`;

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
  return host.run('sh', ['-c', KILLABLE, 'namespace', ...namespace, program, ...args], options);
}
