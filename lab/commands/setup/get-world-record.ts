import { listQemuGuests } from '../../drivers/machines/qemu-guests.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { readWorldRecords, type WorldRecord } from '../../world/world-record.ts';
import type { Context } from '../context/context.ts';

/**
 * Returns the world that a verb is about: the named one, else the only one. A half-built world (left by `up --keep`)
 * counts only for verbs that need machines but no cluster. A parked world does not count, because its machines are off.
 *
 * @param running the names of the guests that are running.
 * @throws UsageError when there is none, or several and none was named.
 */
export function getWorldRecord(
  context: Pick<Context, 'stateDir'>,
  name: string | undefined,
  options: { halfBuilt: boolean },
  running: ReadonlySet<string> = new Set(listQemuGuests().map((guest) => guest.name)),
): WorldRecord {
  const all = readWorldRecords(context.stateDir).flatMap(({ record }) => record ?? []);
  const isPowered = ({ nodes }: WorldRecord): boolean => nodes.every(({ domain }) => running.has(domain));
  const parked = all.filter((record) => record.state === 'ready' && !isPowered(record));
  const records = all.filter((record) => !parked.includes(record));
  const ready = records.filter((record) => record.state === 'ready');
  const usable = options.halfBuilt ? records : ready;
  const names = usable.map((record) => record.name);
  if (name !== undefined) {
    const named = usable.find((record) => record.name === name);
    if (named !== undefined) return named;
    if (parked.some((record) => record.name === name)) throw poweredOffError([name]);
    throw new UsageError(`no world "${name}" is up${formatHint(name, names)}`, {
      tryNext: names.length === 0 ? 'npx whodunit up' : 'npx whodunit status',
    });
  }
  // A complete world is preferred to a half-built one.
  const [first, ...others] = ready.length > 0 ? ready : usable;
  if (first === undefined && parked.length > 0) throw poweredOffError(parked.map((record) => record.name));
  if (first === undefined) throw new UsageError('no world is up', { tryNext: 'npx whodunit up' });
  if (others.length === 0) return first;
  throw new UsageError(`several worlds are up: ${names.join(', ')}`, {
    tryNext: `name one of them: --world ${first.name}`,
  });
}

function poweredOffError(names: readonly string[]): UsageError {
  return new UsageError(`${names.join(', ')} is switched off: it was parked, or the host was restarted`, {
    tryNext: `npx whodunit up ${names[0] ?? ''}`,
  });
}
