import { listFolder } from '../drivers/files.ts';
import { nearestName } from '../model/nearest.ts';
import { UsageError } from '../model/errors.ts';
import { statePaths } from '../model/paths.ts';
import { acquireLock } from '../drivers/lock.ts';
import { destroyWorld } from '../world/destroy.ts';
import { openLab } from '../world/lab.ts';
import { loadConfig } from './config.ts';
import type { Context, Flags } from './context.ts';

/** `lab down [variant|--all]`: removes worlds through Terraform and leaves nothing. Default: the default world. */
export async function runDown(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const worlds = listFolder(statePaths(context.stateDir).worlds);
  const wanted = flags['all'] === true ? worlds : words.length === 0 ? ['default'] : [...words];
  const unknown = wanted.filter((name) => !worlds.includes(name));
  if (words.length > 0 && unknown.length > 0) {
    const nearest = nearestName(unknown[0] ?? '', worlds);
    throw new UsageError(`no world is called ${unknown.join(', ')}`, {
      tryNext: nearest === undefined ? 'there are no worlds' : `did you mean ${nearest}?`,
    });
  }
  const present = wanted.filter((name) => worlds.includes(name));
  if (present.length === 0) {
    if (flags['json'] === true) context.printJson({ formatVersion: 1, removed: [] });
    else context.print('no world is up: nothing to remove');
    return 0;
  }
  const lock = await acquireLock(statePaths(context.stateDir).lock, context.clock);
  try {
    const lab = await openLab(context, loadConfig(context).matrix.machine);
    for (const name of present) await destroyWorld(lab, name);
  } finally {
    lock.release();
  }
  if (flags['json'] === true) context.printJson({ formatVersion: 1, removed: present });
  else context.print(`removed ${present.join(', ')}`);
  return 0;
}
