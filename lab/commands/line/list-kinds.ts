import type { RunVerb } from '../context/context.ts';
import type { ListWord } from '../context/list-words.ts';

/** A kind of `whodunit list`. */
interface ListKind {
  /** The verb that lists the same. */
  readonly verb: string;
  /** Whether words may follow; those of cells are selectors, the others are searched for. */
  readonly takesWords: boolean;
  readonly load: () => Promise<RunVerb>;
}

/**
 * The kinds of `whodunit list`. A word is a kind only if it is the first one. A scenario with the name of a kind is selected
 * by `list cells runs` or `list scenario=runs`.
 */
export const LIST_KINDS = {
  cells: {
    verb: 'list',
    takesWords: true,
    load: async () => (await import('../verbs/list.ts')).runList,
  },
  scenarios: {
    verb: 'scenarios',
    takesWords: true,
    load: async () => (await import('../verbs/scenarios.ts')).runScenarios,
  },
  bugs: {
    verb: 'bugs',
    takesWords: true,
    load: async () => (await import('../verbs/bugs.ts')).runBugs,
  },
  killers: {
    verb: 'killers',
    takesWords: true,
    load: async () => (await import('../verbs/killers.ts')).runKillers,
  },
  runs: {
    verb: 'runs',
    takesWords: true,
    load: async () => (await import('../verbs/runs.ts')).runRuns,
  },
  worlds: {
    verb: 'status',
    takesWords: false,
    load: async () => (await import('../verbs/status.ts')).runStatus,
  },
} as const satisfies Readonly<Record<ListWord, ListKind>>;
