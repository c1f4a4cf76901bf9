/** The words of verbs whose first word is one of a closed list. Completion offers them, and each verb has a row for each. */
export const CLOSED_WORDS = {
  cache: ['list', 'why', 'prune', 'push', 'pull'],
  completion: ['bash', 'zsh', 'fish'],
  logs: ['kubelet', 'containerd', 'kernel'],
  new: ['scenario', 'bug'],
  shard: ['manifest', 'bake'],
} as const;

/** What {@link CLOSED_WORDS} has for a verb. */
export type ClosedWord<Verb extends keyof typeof CLOSED_WORDS> = (typeof CLOSED_WORDS)[Verb][number];
