import { listFolder } from '../drivers/files.ts';
import { formatHint } from '../model/nearest.ts';
import { UsageError } from '../model/errors.ts';
import { statePaths } from '../model/paths.ts';
import { destroyWorld } from '../world/build/destroy.ts';
import { openLab } from '../world/lab.ts';
import { loadConfig } from './config.ts';
import type { Context } from './context.ts';
import type { Flags } from './flags.ts';
import { takeLock } from './take-lock.ts';

/** `whodunit down [variant|--all]`: removes worlds through Terraform and leaves nothing. Default: the default world. */
export async function runDown(context: Context, words: readonly string[], flags: Flags): Promise<number> {
  const worlds = listFolder(statePaths(context.stateDir).worlds);
  const wanted = flags.all === true ? worlds : words.length === 0 ? ['default'] : [...words];
  const present = wanted.filter((name) => worlds.includes(name));
  if (words.length > 0 && present.length < wanted.length) throw unknownWorlds(wanted, worlds);
  if (present.length === 0) {
    if (flags.json === true) context.printJson({ formatVersion: 1, removed: [] });
    else context.print(describeNothing(worlds));
    return 0;
  }
  const lock = await takeLock(context, flags);
  try {
    const lab = await openLab(context, loadConfig(context));
    for (const name of present) await destroyWorld(lab, name);
  } finally {
    lock.release();
  }
  if (flags.json === true) context.printJson({ formatVersion: 1, removed: present });
  else context.print(`removed ${present.join(', ')}`);
  return 0;
}

function unknownWorlds(wanted: readonly string[], worlds: readonly string[]): UsageError {
  const unknown = wanted.filter((name) => !worlds.includes(name));
  const named = unknown.map((name) => `"${name}"${formatHint(name, worlds)}`);
  return new UsageError(`there is no world ${named.join(', ')}; nothing was removed`, {
    tryNext: worlds.length === 0 ? 'npx whodunit up' : 'npx whodunit help down',
  });
}

function describeNothing(worlds: readonly string[]): string {
  if (worlds.length === 0) return 'no world is up: nothing to remove';
  return `world default is not up: nothing to remove\nnext: npx whodunit down ${worlds.join(' ')}`;
}
