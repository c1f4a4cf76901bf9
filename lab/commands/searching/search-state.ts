import {
  appendLine,
  findText,
  listFolder,
  pathExists,
  readLines,
  writeTextAtomic,
} from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { statePaths } from '../../model/host/paths.ts';
import {
  searchedRunSchema,
  searchHeadSchema,
  type SearchedRun,
  type SearchHead,
} from '../../model/saved/search.ts';
import { plural } from '../../model/text/plural.ts';
import type { Context } from '../context/context.ts';
import { findContradiction } from './find-contradiction.ts';
import { findRunId } from '../saved/run-id.ts';
import { refuseSaved, requireSaved } from '../saved/saved-file.ts';

/** A search: its question, and every run so far. */
export interface Search<Head extends SearchHead = SearchHead> {
  readonly head: Head;
  readonly seen: readonly SearchedRun[];
}

type StateContext = Pick<Context, 'stateDir'>;

function pathOf({ stateDir }: StateContext, { search, kind }: Pick<SearchHead, 'search' | 'kind'>): string {
  return statePaths(stateDir).search(search)[kind];
}

/** Begins the state file of a search. Its first line is the question. */
export function beginState(context: StateContext, head: SearchHead): void {
  writeState(context, head, []);
}

/** Appends runs. All lines are one write, so that a killed process leaves whole batches, or one torn line at the end. */
export function addToState(context: StateContext, head: SearchHead, runs: readonly SearchedRun[]): void {
  if (runs.length > 0) appendLine(pathOf(context, head), runs.map(spellRun).join('\n'));
}

/** Writes fields in the order of their schema, so that a file which is read and written again stays the same. */
function spellHead(head: SearchHead): string {
  return JSON.stringify(searchHeadSchema.parse(head));
}

function spellRun(run: SearchedRun): string {
  return JSON.stringify(searchedRunSchema.parse(run));
}

function writeState(context: StateContext, head: SearchHead, seen: readonly SearchedRun[]): void {
  const lines = [spellHead(head), ...seen.map(spellRun)].map((line) => `${line}\n`);
  writeTextAtomic(pathOf(context, head), lines.join(''));
}

/**
 * Reads the state of the search that a word names, else of the newest one. A torn last line is left out, and removed
 * from the file.
 *
 * @param budgetSeconds replaces the budget of the search.
 * @throws UsageError when there is no such search; HostError LAB_STATE_FILE when the file is not a state of this
 *   version, or contradicts itself.
 */
export function resumeState<Kind extends SearchHead['kind']>(
  context: StateContext,
  kind: Kind,
  words: readonly string[],
  budgetSeconds: number | undefined,
): Search<Extract<SearchHead, { kind: Kind }>> {
  const ids = listSearches(context)
    .filter((found) => found.kind === kind)
    .map(({ id }) => id);
  const [word = 'latest', ...others] = words;
  const tryNext = ids.length === 0 ? `npx whodunit help ${kind}` : `one of: ${ids.slice(-5).join(', ')}`;
  if (others.length > 0)
    throw new UsageError(`--resume takes one search, and got ${plural(words.length, 'word')}`, { tryNext });
  const id = findRunId(ids, word);
  if (id === undefined)
    throw new UsageError(
      word === 'latest' ? 'there is no search to resume' : `there is no search "${word}"`,
      {
        tryNext,
      },
    );
  const { head: asked, seen, isTorn } = readState(context, { search: id, kind });
  const head = { ...asked, budgetSeconds: budgetSeconds ?? asked.budgetSeconds };
  if (isTorn || budgetSeconds !== undefined) writeState(context, head, seen);
  return { head: head as Extract<SearchHead, { kind: Kind }>, seen };
}

/** A search that was saved. */
export interface FoundSearch {
  readonly id: string;
  readonly kind: SearchHead['kind'];
}

const KINDS = ['bisect', 'difference'] as const;

/** Lists all searches, oldest first. */
function listSearches(context: StateContext): FoundSearch[] {
  return listFolder(statePaths(context.stateDir).searches).flatMap((id) =>
    // A state that cannot be read is reported only when it is asked for.
    KINDS.filter((kind) => pathExists(pathOf(context, { search: id, kind }))).map((kind) => ({ id, kind })),
  );
}

/**
 * Returns the search that a word names: its id, or the beginning of exactly one id.
 *
 * @throws UsageError when several ids begin with the word.
 */
export function findSearch(context: StateContext, word: string): FoundSearch | undefined {
  const searches = listSearches(context);
  const id = findRunId(
    searches.map((search) => search.id),
    word,
  );
  return searches.find((search) => search.id === id);
}

/**
 * Reads the state of a search, and changes nothing. A torn last line, left by a killed process, is left out.
 *
 * @throws HostError LAB_STATE_FILE when it is not a state of this version, or contradicts itself.
 */
export function readState(
  context: StateContext,
  { search, kind }: Pick<SearchHead, 'search' | 'kind'>,
): Search & { readonly isTorn: boolean } {
  const path = pathOf(context, { search, kind });
  const file = { path, is: `the state of a ${kind}`, move: 'it' } as const;
  const isTorn = findText(path)?.endsWith('\n') === false;
  const lines = readLines(path);
  const [first, ...rest] = (isTorn ? lines.slice(0, -1) : lines).map(tryParseJson);
  const read = requireSaved(file, searchHeadSchema, first);
  if (read.kind !== kind || read.search !== search) throw refuseSaved(file, `it is of search ${read.search}`);
  const seen = rest.map((line) => requireSaved(file, searchedRunSchema, line));
  const contradiction = findContradiction({ head: read, seen });
  if (contradiction !== undefined) throw refuseSaved(file, contradiction);
  return { head: read, seen, isTorn };
}
