/** The most shards that a plan may have: more than any engine runs as one array. */
export const MAX_SHARDS = 10_000;
