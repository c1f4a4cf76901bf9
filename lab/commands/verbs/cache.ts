import type { CacheAnswer, CacheList, CachePrune, CacheWhy } from '../../model/saved/cache.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { parseSize, planPrune } from '../../plan/worlds/plan-prune.ts';
import { renderCacheList, renderCachePrune, renderCacheWhy } from '../../report/terminal/render-cache.ts';
import { explainCache } from '../../world/cache/explain-cache.ts';
import { listCache } from '../../world/cache/list-cache.ts';
import { pruneCache } from '../../world/cache/prune-cache.ts';
import { loadConfig } from '../setup/config.ts';
import { getRecipe } from '../setup/get-recipe.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { takeLock } from '../setup/take-lock.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

type Action = (context: Context, words: readonly string[], flags: Flags) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { list, why, prune };

/** Size that `whodunit cache prune` keeps when none is given. */
const DEFAULT_MAX_SIZE = '20GiB';

/** `whodunit cache list|why|prune`: lists the cache, says why something would be made again, or makes the cache smaller. */
export async function runCache(
  context: Context,
  [name = '', ...words]: readonly string[],
  flags: Flags,
): Promise<number> {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const known = Object.keys(ACTIONS);
    throw new UsageError(`cache does not know "${name}"${formatHint(name, known)}`, {
      tryNext: `npx whodunit cache ${known.join(' | ')}`,
    });
  }
  await action(context, words, flags);
  return 0;
}

function list(context: Context, words: readonly string[], flags: Flags): Promise<void> {
  refuseWords('list', words);
  const entries = listCache(context);
  const { remainingBytes: totalBytes } = planPrune(entries, Infinity);
  const result: CacheList = { formatVersion: FORMAT_VERSION, folder: context.cacheDir, entries, totalBytes };
  answer(context, flags, result, renderCacheList);
  return Promise.resolve();
}

async function why(context: Context, words: readonly string[], flags: Flags): Promise<void> {
  const config = loadConfig(context);
  const { catalogue } = config;
  const [first] = words;
  const names = ['image', 'world', ...Object.keys(catalogue.components)];
  const wanted = first !== undefined && names.includes(first) ? first : undefined;
  const recipe = getRecipe(context, config, wanted === undefined ? words : words.slice(1));
  const answers = (await explainCache(context, catalogue, recipe)).filter((each) => isWanted(each, wanted));
  if (answers.length === 0) {
    throw new UsageError(`${recipe.name} has no component "${wanted ?? ''}"`, {
      lastSeen: `it is made of ${recipe.components.map((each) => each.name).join(', ')}`,
    });
  }
  const result: CacheWhy = { formatVersion: FORMAT_VERSION, variant: recipe.name, answers };
  answer(context, flags, result, renderCacheWhy);
}

/** `image` means its layers too. */
function isWanted({ kind, name }: CacheAnswer, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === 'world') return kind === 'world';
  if (wanted === 'image') return kind !== 'component' && kind !== 'world';
  return kind === 'component' && name === wanted;
}

async function prune(context: Context, words: readonly string[], flags: Flags): Promise<void> {
  refuseWords('prune', words);
  const { maxSize, allUnused, dryRun } = flags;
  if (allUnused === true && maxSize !== undefined)
    throw new UsageError('--all-unused and --max-size exclude each other', { tryNext: 'give one of them' });
  const maxBytes = allUnused === true ? 0 : parseSize(maxSize ?? DEFAULT_MAX_SIZE);
  const options = { maxBytes, dryRun: dryRun === true };
  const lock = options.dryRun ? undefined : await takeLock(context, flags);
  try {
    const result: CachePrune = pruneCache(context, options);
    answer(context, flags, result, renderCachePrune);
  } finally {
    lock?.release();
  }
}

function refuseWords(action: string, words: readonly string[]): void {
  if (words.length === 0) return;
  throw new UsageError(`cache ${action} takes no words, but was given "${words.join(' ')}"`, {
    tryNext: 'npx whodunit help cache',
  });
}

function answer<T>(context: Context, flags: Flags, result: T, render: (result: T) => string): void {
  if (flags.json === true) context.printJson(result);
  else context.print(render(result));
}
