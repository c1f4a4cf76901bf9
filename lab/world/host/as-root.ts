import type { HostFacts } from '../../drivers/host/host-facts.ts';

/**
 * Returns one line that runs commands as root for a normal user, each after the success of the one before: with
 * sudo where there is sudo, else with su, as on a Debian whose root got a password at installation.
 */
export function renderAsRoot(facts: Pick<HostFacts, 'findTool'>, commands: readonly string[]): string {
  if (facts.findTool('sudo') !== undefined) return commands.map((command) => `sudo ${command}`).join(' && ');
  // A login shell: only its PATH has the sbin folders.
  return `su - -c '${commands.join(' && ')}'`;
}
