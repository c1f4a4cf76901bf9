import type { CacheAnswer, CacheList, CachePrune, CacheWhy } from '../../model/saved/cache.ts';
import { RUNC_UNDER_TEST } from '../../model/components/under-test.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { planPrune } from '../../plan/worlds/plan-prune.ts';
import { refuseOpenCache } from '../../drivers/files/private-folder.ts';
import type { RemoteCache } from '../../model/host/remote-cache.ts';
import {
  renderCacheList,
  renderCachePrune,
  renderCachePull,
  renderCachePush,
  renderCacheWhy,
} from '../../report/terminal/render-cache.ts';
import { explainCache, explainMade } from '../../world/cache/explain-cache.ts';
import { listCache } from '../../world/cache/list-cache.ts';
import { pruneCache } from '../../world/cache/prune-cache.ts';
import { pullCache } from '../../world/cache/pull-cache.ts';
import { pushCache } from '../../world/cache/push-cache.ts';
import { listSharedEntries } from '../../world/cache/shared-entries.ts';
import { loadConfig } from '../setup/config.ts';
import { getRecipe } from '../setup/get-recipe.ts';
import type { VerbAnswer } from '../context/answer.ts';
import type { ClosedWord } from '../context/closed-words.ts';
import type { Context, RunVerb } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { takeLock } from '../setup/take-lock.ts';

const ACTIONS: Readonly<Record<string, RunVerb>> = { list, why, prune, push, pull } satisfies Record<
  ClosedWord<'cache'>,
  RunVerb
>;

/** What `whodunit cache prune` keeps when no size is given. */
const DEFAULT_MAX_BYTES = 20 * 1024 ** 3;

/** `whodunit cache list|why|prune|push|pull`: shows, explains and shrinks the cache, or shares it with other hosts. */
export const runCache: RunVerb = async (context, [name = '', ...words], flags) => {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const known = Object.keys(ACTIONS);
    throw new UsageError(`cache has no action "${name}"${formatHint(name, known)}`, {
      tryNext: 'npx whodunit cache list, or npx whodunit help cache',
    });
  }
  return action(context, words, flags);
};

async function list(context: Context, words: readonly string[]): Promise<VerbAnswer> {
  refuseWords('list', words);
  const entries = listCache(context);
  const { remainingBytes: totalBytes } = planPrune(entries, Infinity);
  const result: CacheList = {
    formatVersion: FORMAT_VERSION,
    folder: context.cacheDir,
    entries,
    totalBytes,
  };
  return {
    status: 'passed',
    json: result,
    rows: { list: entries, name: 'path' },
    text: () => renderCacheList(result),
  };
}

async function why(context: Context, words: readonly string[]): Promise<VerbAnswer> {
  const config = loadConfig(context);
  const { catalogue } = config;
  const [first] = words;
  const names = ['image', 'world', RUNC_UNDER_TEST, ...Object.keys(catalogue.components)];
  const wanted = first !== undefined && names.includes(first) ? first : undefined;
  const recipe = getRecipe(context, config, wanted === undefined ? words : words.slice(1));
  const answers = (await explainCache(context, catalogue, recipe)).filter((answer) =>
    isWanted(answer, wanted),
  );
  if (answers.length === 0) {
    throw new UsageError(`${recipe.name} has no component "${wanted ?? ''}"`, {
      lastSeen: `it is made of ${recipe.components.map(({ name }) => name).join(', ')}`,
    });
  }
  const result: CacheWhy = { formatVersion: FORMAT_VERSION, variant: recipe.name, answers };
  return { status: 'passed', json: result, text: () => renderCacheWhy(result) };
}

/** Whether an answer is about the word that was given; `image` means its layers too. */
function isWanted({ kind, name }: CacheAnswer, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === 'world') return kind === 'world';
  if (wanted === 'image') return kind !== 'component' && kind !== 'world';
  return kind === 'component' && name === wanted;
}

async function prune(context: Context, words: readonly string[], flags: Flags): Promise<VerbAnswer> {
  refuseWords('prune', words);
  const { maxSize, allUnused, dryRun } = flags;
  const maxBytes = allUnused === true ? 0 : (maxSize ?? DEFAULT_MAX_BYTES);
  const options = { maxBytes, dryRun: dryRun === true };
  const lock = options.dryRun ? undefined : await takeLock(context, flags);
  try {
    const result: CachePrune = await pruneCache(context, options);
    return { status: 'passed', json: result, text: () => renderCachePrune(result) };
  } finally {
    await lock?.release();
  }
}

async function push(context: Context, words: readonly string[]): Promise<VerbAnswer> {
  const remote = await getRemote(context, 'push');
  const all = listSharedEntries(context);
  const wanted = words.length === 0 ? undefined : await listPathsOf(context, words);
  const entries = all.filter(({ path }) => wanted?.has(path) ?? true);
  const releaseHold = context.hold();
  try {
    const result = await pushCache(context, remote, entries);
    return { status: 'passed', json: result, text: () => renderCachePush(result) };
  } finally {
    await releaseHold();
  }
}

/** Returns the paths in the cache of everything that a variant is made of. */
async function listPathsOf(context: Context, words: readonly string[]): Promise<ReadonlySet<string>> {
  const config = loadConfig(context);
  const answers = await explainMade(context, config.catalogue, getRecipe(context, config, words));
  return new Set(answers.filter(({ hit }) => hit).map(({ why }) => why));
}

async function pull(context: Context, words: readonly string[]): Promise<VerbAnswer> {
  const remote = await getRemote(context, 'pull');
  const config = loadConfig(context);
  const recipe = getRecipe(context, config, words);
  refuseOpenCache(context.cacheDir);
  const releaseHold = context.hold();
  try {
    const result = await pullCache(context, remote, config.catalogue, recipe);
    return { status: 'passed', json: result, text: () => renderCachePull(result) };
  } finally {
    await releaseHold();
  }
}

async function getRemote(context: Context, action: string): Promise<RemoteCache> {
  const remote = await context.openRemote();
  if (remote !== undefined) return remote;
  throw new UsageError(`cache ${action} needs WHODUNIT_REMOTE_CACHE, the address of a remote cache`, {
    tryNext: `WHODUNIT_REMOTE_CACHE=oci://registry.example/team/cache npx whodunit cache ${action}`,
  });
}

function refuseWords(action: string, words: readonly string[]): void {
  if (words.length === 0) return;
  throw new UsageError(`cache ${action} takes no words, but was given "${words.join(' ')}"`, {
    tryNext: 'npx whodunit help cache',
  });
}
