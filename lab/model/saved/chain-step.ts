/** The steps of an end, in their order. */
export const CHAIN_STEP_MEANINGS = {
  cause: 'what made somebody act',
  request: 'who asked',
  signal: 'the signal',
  end: 'the end of the process',
  consequence: 'what followed from it',
} as const;
