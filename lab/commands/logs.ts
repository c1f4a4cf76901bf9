import { runInteractive } from '../drivers/interactive.ts';
import { UsageError } from '../model/errors.ts';
import { formatHint } from '../model/nearest.ts';
import type { Context } from './context.ts';
import type { Flags } from './flags.ts';
import { sshArguments } from './shell.ts';
import { getWorldRecord } from './world-of.ts';

/** What can be read: systemd units of a node, and the kernel log. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  kubelet: ['journalctl', '-u', 'kubelet', '--no-pager'],
  containerd: ['journalctl', '-u', 'containerd', '--no-pager'],
  kernel: ['journalctl', '-k', '--no-pager'],
};

/** `whodunit logs [kubelet|containerd|kernel]`: a log of the node on standard output. */
export async function runLogs(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const source = words[0] ?? 'kubelet';
  const command = SOURCES[source];
  if (command === undefined) {
    throw new UsageError(`there is no log "${source}"${formatHint(source, Object.keys(SOURCES))}`, {
      tryNext: 'npx whodunit help logs',
    });
  }
  const record = getWorldRecord(context, flags.world, { halfBuilt: true });
  const node = record.nodes[0];
  if (node === undefined) throw new UsageError(`world ${record.name} has no nodes`);
  return runInteractive('ssh', sshArguments(context, record, node.sshPort, command));
}
