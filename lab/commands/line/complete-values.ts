import { NODE_ACCESSES } from '../../autopsy/live/live-files.ts';
import { END_FIELDS } from '../../model/saved/end-fields.ts';
import { REPORT_FORMATS } from '../../model/saved/report-formats.ts';
import { namesOf } from '../../model/text/names-of.ts';
import { GATED_PROGRAMS } from '../../model/variants/gated-programs.ts';
import { CLOSED_WORDS } from '../context/closed-words.ts';
import { FLAGS, type FlagName } from '../context/flags.ts';
import { isListKind } from '../context/list-words.ts';
import { EXIT_CODE_READERS, OUTPUTS } from './flag-values.ts';
import { LIST_KINDS } from './list-kinds.ts';
import type { Verb } from './verb.ts';
import {
  addresses,
  allOf,
  axes,
  axisNames,
  bugs,
  cells,
  explained,
  files,
  folders,
  killers,
  savedNodes,
  runs,
  scenarios,
  searches,
  selectors,
  worlds,
  type ListCandidates,
} from './candidates.ts';

/** What completes an argument or the value of a flag, by what the table of verbs and the table of flags call it. */
const OF_NAME: Readonly<Record<string, ListCandidates>> = {
  address: addresses,
  axis: axisNames,
  'axis=value': axes,
  bug: bugs,
  cell: cells,
  diff: files,
  file: files,
  folder: folders,
  id: runs,
  node: savedNodes,
  path: files,
  replay: files,
  run: runs,
  scenario: scenarios,
  search: searches('bisect', 'difference'),
  selector: selectors,
  variant: allOf(worlds, axes),
};

/** What completes the words of a verb whose table calls them by a name that says less. */
const OF_VERB: Readonly<Record<string, ListCandidates>> = {
  'bugs word': bugs,
  'cache action': () => CLOSED_WORDS.cache,
  'cache words': (folders, last, before) => completeCache(folders, last, before),
  'completion shell': () => CLOSED_WORDS.completion,
  'explain word': explained,
  'killers word': killers,
  'list kind': allOf(() => Object.keys(LIST_KINDS), selectors),
  'list word': (folders, last, before) => completeListed(folders, last, before),
  'logs source': () => CLOSED_WORDS.logs,
  'merge run': allOf(runs, folders),
  'new kind': () => CLOSED_WORDS.new,
  'runs word': runs,
  'sbom variant': allOf(() => ['lab'], axes),
  'scenarios name': scenarios,
  'shard action': () => CLOSED_WORDS.shard,
  'shell words': (folders, last, before) => (before.length === 0 ? savedNodes(folders, last, before) : []),
};

/** What completes the value of a flag whose name of a value says less. */
const OF_FLAG: Partial<Record<FlagName, ListCandidates>> = {
  engine: async () => (await import('../../report/manifests/render-manifest.ts')).MANIFEST_ENGINES,
  exitFor: () => EXIT_CODE_READERS,
  for: () => namesOf(GATED_PROGRAMS),
  format: () => REPORT_FORMATS,
  keepEvidence: () => ['all', 'failed'],
  lanes: () => ['auto'],
  nodeAccess: () => NODE_ACCESSES,
  output: () => OUTPUTS,
  redact: async () => (await import('../../model/saved/saved-autopsy.ts')).REDACTIONS,
  shard: () => ['auto'],
  timezone: () => ['UTC', ...Intl.supportedValuesOf('timeZone')],
  what: () => END_FIELDS,
  world: worlds,
};

/** What a verb continues with --resume, if a word names it. */
const OF_RESUMED: Readonly<Record<string, ListCandidates>> = {
  run: runs,
  bisect: searches('bisect'),
  difference: searches('difference'),
};

/** Returns what completes the value of a flag; undefined if nothing is known of it. */
export function findOfFlag(flag: FlagName): ListCandidates | undefined {
  const [, value = ''] = /<([^.>]*)/.exec(FLAGS[flag]) ?? [];
  return OF_FLAG[flag] ?? OF_NAME[value];
}

/** Returns what completes the next word of a verb, after the words and flags before it. */
export function findOfWord(
  verb: Verb,
  before: readonly string[],
  flags: readonly FlagName[],
): ListCandidates | undefined {
  const resumed = flags.includes('resume') ? OF_RESUMED[verb.name] : undefined;
  if (resumed !== undefined) return resumed;
  const argument = argumentsOf(verb).find(({ isLast }, index) => index === before.length || isLast);
  const lists = (argument?.kinds ?? []).flatMap((kind) => {
    const list = OF_VERB[`${verb.name} ${kind}`] ?? OF_NAME[kind];
    return list === undefined ? [] : [list];
  });
  return lists.length === 0 ? undefined : allOf(...lists);
}

/** An argument of a verb. */
interface Argument {
  /** What a word may be: `run` and `address`. */
  readonly kinds: readonly string[];
  /** Whether it takes all words that follow. */
  readonly isLast: boolean;
}

/** Reads the arguments of a verb: `<run-or-folder...>`, `[red-cell]`. Of `red-cell` only the last part counts. */
export function argumentsOf({ words = '' }: Verb): Argument[] {
  return [...words.matchAll(/[<[]([a-z-]+)(\.\.\.)?/g)].map(([, name = '', more]) => ({
    kinds: name.split('-or-').map((kind) => SINGULAR[kind] ?? kind.slice(kind.lastIndexOf('-') + 1)),
    isLast: more !== undefined,
  }));
}

const SINGULAR: Readonly<Record<string, string>> = { addresses: 'address', runs: 'run' };

/** After a kind of `list`: what the verb of that kind takes. */
const completeListed: ListCandidates = (folders, last, before) => {
  const [kind = ''] = before;
  if (!isListKind(kind) || kind === 'cells') return selectors(folders, last, before);
  const { verb, takesWords } = LIST_KINDS[kind];
  const list = OF_VERB[`${verb} word`] ?? OF_VERB[`${verb} name`];
  return takesWords ? (list?.(folders, last, before) ?? []) : [];
};

/** After an action of `cache`: what may be asked about, and variants. */
const completeCache: ListCandidates = (folders, last, before) => {
  const [action = '', ...more] = before;
  const list = allOf(action === 'why' && more.length === 0 ? () => ['image', 'world'] : () => [], axes);
  return ['why', 'push', 'pull'].includes(action) ? list(folders, last, before) : [];
};
