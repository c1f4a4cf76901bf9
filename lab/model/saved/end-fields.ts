/** What tells ends apart, as `--what` names it. */
export const END_FIELDS = ['killer', 'level', 'how', 'process', 'reason'] as const;
