import { listFolder } from '../drivers/files.ts';
import { UsageError } from '../model/errors.ts';
import { statePaths } from '../model/paths.ts';
import { findWorldRecord } from '../world/bring-up.ts';
import type { WorldRecord } from '../world/world-record.ts';
import type { Context } from './context.ts';

/**
 * The world a verb is about: the named one, else the only one there is.
 *
 * @throws UsageError when there is none, or several and none was named.
 */
export function getWorldRecord(context: Context, name: string | undefined): WorldRecord {
  const names = listFolder(statePaths(context.stateDir).worlds);
  const ready = names.filter((each) => findWorldRecord(context.stateDir, each)?.state === 'ready');
  const wanted = name ?? (ready.length === 1 ? ready[0] : undefined);
  const record = wanted === undefined ? undefined : findWorldRecord(context.stateDir, wanted);
  if (record?.state === 'ready') return record;
  const tryNext = ready.length === 0 ? 'npm run lab up' : `worlds that are up: ${ready.join(', ')}`;
  if (name !== undefined) throw new UsageError(`no world is called ${name}`, { tryNext });
  throw new UsageError(ready.length === 0 ? 'no world is up' : 'several worlds are up: name one with --world', {
    tryNext,
  });
}
