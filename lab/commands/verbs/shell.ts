import { join } from 'node:path';
import { findText, writeTextAtomic } from '../../drivers/files/files.ts';
import { runInteractive } from '../../drivers/programs/interactive.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { WorldRecord } from '../../world/world-record.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { getWorldRecord } from '../setup/get-world-record.ts';

/**
 * `whodunit shell [node] [-- command…]`: opens a root shell on a node, or runs one command, and ends with its exit
 * status.
 */
export const runShell: RunVerb = async (context, words, flags) => {
  const record = getWorldRecord(context, flags.world, { halfBuilt: true });
  const names = record.nodes.map((node) => node.name);
  const first = words[0];
  const node = record.nodes.find(({ name }) => name === first) ?? record.nodes[0];
  const command = first !== undefined && names.includes(first) ? words.slice(1) : words;
  if (node === undefined) throw new UsageError(`world ${record.name} has no nodes`);
  return {
    status: await runInteractive(context, 'ssh', sshArguments(context, record, node.sshPort, command)),
  };
};

/** Returns the arguments of ssh(1) for a node, with its pinned host key. */
export function sshArguments(
  context: Context,
  record: WorldRecord,
  port: number,
  command: readonly string[],
): string[] {
  const knownHosts = join(statePaths(context.stateDir).world(record.name).dir, 'known_hosts');
  const line = record.nodes.map(({ sshPort }) => `[127.0.0.1]:${sshPort} ${record.image.hostKey}\n`).join('');
  if (findText(knownHosts) !== line) writeTextAtomic(knownHosts, line);
  return [
    '-i',
    record.image.sshKey,
    '-p',
    String(port),
    '-o',
    `UserKnownHostsFile=${knownHosts}`,
    '-o',
    'StrictHostKeyChecking=yes',
    '-o',
    'IdentitiesOnly=yes',
    '-o',
    'LogLevel=ERROR',
    'root@127.0.0.1',
    ...(command.length === 0 ? [] : ['--', ...command]),
  ];
}
