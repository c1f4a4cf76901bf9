import { runPrinting } from '../../drivers/programs/interactive.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { ClosedWord } from '../context/closed-words.ts';
import type { RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { sshArguments } from './shell.ts';
import { getWorldRecord } from '../setup/get-world-record.ts';

/** The logs by name, with their words for journalctl(1). */
const LOG_SOURCES: Readonly<Record<string, readonly string[]>> = {
  kubelet: ['-u', 'kubelet'],
  containerd: ['-u', 'containerd'],
  kernel: ['-k'],
} satisfies Record<ClosedWord<'logs'>, readonly string[]>;

/** `whodunit logs [kubelet|containerd|kernel]`: prints a log of a node. */
export const runLogs: RunVerb = async (context, words, flags) => {
  const command = journalCommand(words[0] ?? 'kubelet', flags);
  const record = getWorldRecord(context, flags.world, { halfBuilt: true });
  const names = record.nodes.map(({ name }) => name);
  const node = record.nodes.find(({ name }) => name === (flags.node ?? names[0]));
  if (node === undefined)
    throw new UsageError(
      `world ${record.name} has no node "${flags.node ?? ''}"${formatHint(flags.node ?? '', names)}`,
      { tryNext: 'npx whodunit kubectl get nodes' },
    );
  const args = sshArguments(context, record, node.sshPort, command);
  return { status: await runPrinting(context, 'ssh', args) };
};

/**
 * Returns the command line of journalctl(1), for the shell of the node.
 *
 * @throws UsageError when there is no such log.
 */
export function journalCommand(source: string, { follow, since }: Flags): string[] {
  const unit = Object.hasOwn(LOG_SOURCES, source) ? LOG_SOURCES[source] : undefined;
  if (unit === undefined) {
    throw new UsageError(`there is no log "${source}"${formatHint(source, Object.keys(LOG_SOURCES))}`, {
      tryNext: 'npx whodunit help logs',
    });
  }
  return [
    'journalctl',
    ...unit,
    '--no-pager',
    ...(follow === true ? ['--follow'] : []),
    ...(since === undefined ? [] : [`--since=${shellWord(since)}`]),
  ];
}
