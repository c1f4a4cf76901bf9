import { listFolder } from '../../drivers/files/files.ts';
import type { DownResult } from '../../model/saved/answers.ts';
import { variantName } from '../../model/axes/axes.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { isBeside } from '../../model/host/lane-name.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { statePaths } from '../../model/host/paths.ts';
import { parseVariant, splitAssignment } from '../../plan/variants/parse-variant.ts';
import { destroyWorld } from '../../world/steps/destroy.ts';
import { openLab } from '../../world/lab.ts';
import { loadConfig } from '../setup/config.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { takeLock } from '../setup/take-lock.ts';

/**
 * `whodunit down [variant|--all]`: removes worlds with Terraform, and all their files. Default: the default world. A
 * word may be the name of a world's folder, so that a world can be removed even if the matrix does not have its variant
 * any more.
 */
export const runDown: RunVerb = async (context, words, flags) => {
  const worlds = listFolder(statePaths(context.stateDir).worlds);
  const wanted = flags.all === true ? worlds : words.length === 0 ? ['default'] : nameWorlds(context, words);
  const named = wanted.filter((name) => worlds.includes(name));
  if (words.length > 0 && named.length < wanted.length) throw unknownWorlds(wanted, worlds);
  // Lanes that a killed run has left are of no use without their world.
  const ofNamed = worlds.filter((name) => named.some((world) => isBeside(world, name)));
  const present = [...new Set([...ofNamed, ...named])];
  if (present.length > 0) {
    const lock = await takeLock(context, flags);
    try {
      const lab = await openLab(context, loadConfig(context));
      for (const name of present) await destroyWorld(lab, name);
    } finally {
      await lock.release();
    }
  }
  const result: DownResult = { formatVersion: FORMAT_VERSION, removed: present };
  return {
    status: 'passed',
    json: result,
    text: () => (present.length === 0 ? describeNothing(worlds) : `removed ${present.join(', ')}`),
  };
};

/** Returns the names among the words, and the name of the world that the `axis=value` words describe. */
function nameWorlds(context: Context, words: readonly string[]): string[] {
  const axes = words.filter((word) => splitAssignment(word) !== undefined);
  const names = words.filter((word) => !axes.includes(word));
  return axes.length === 0 ? names : [...names, variantName(parseVariant(loadConfig(context).matrix, axes))];
}

function unknownWorlds(wanted: readonly string[], worlds: readonly string[]): UsageError {
  const unknown = [...new Set(wanted)].filter((name) => !worlds.includes(name));
  const named = unknown.map((name) => `"${name}"${formatHint(name, worlds)}`);
  const none = worlds.length === 0 ? ', as none is up' : '';
  return new UsageError(`there is no world ${named.join(', ')}${none}; nothing was removed`, {
    tryNext: 'npx whodunit status',
  });
}

function describeNothing(worlds: readonly string[]): string {
  if (worlds.length === 0) return 'no world is up: nothing to remove';
  return `world default is not up: nothing to remove\nnext: npx whodunit down ${worlds.join(' ')}`;
}
